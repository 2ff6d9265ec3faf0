import type { Platform } from './context.ts'
import { createCrossing, hearFrom, nodeNamed, type Outbox } from './crossing.ts'
import { type Effort, effortOf } from './effort.ts'
import { escapeNode } from './escapes.ts'
import { reportClaims } from './exits.ts'
import type { FileFacts, TypeFacts } from './facts.ts'
import { nextInstruction, op } from './facts.ts'
import { createExports, type Targets, wireImports } from './imports.ts'
import { typedValue } from './loads.ts'
import { assume, checkAllAnswered, wire } from './link.ts'
import { nodeNames, placeNames } from './names.ts'
import { add, createSolver, type Problem, type Solver, solve, type Use } from './solver.ts'
import { checkWidgets } from './widgets.ts'

export type CellInput = {
  /** Its number among the files of the module. */
  readonly number: number
  readonly file: string
  readonly facts: FileFacts
  readonly targets: Targets
  /** What its types say that name types of other files, by their index. */
  readonly types: readonly (TypeFacts | undefined)[]
  readonly platform: Platform
  /** The module's entry file; what it exports is handed to the platform. */
  readonly entry: string
  readonly effort: Effort
}

/** What one file comes to. Every place in it is of this file. */
export type CellResult = {
  readonly problems: readonly Problem[]
  readonly uses: readonly Use[]
  readonly notified: readonly string[]
  readonly definesModule: boolean
  readonly widgets: readonly string[]
  readonly steps: number
}

/** A step begins when nothing moves any more in any file: what is written, what nobody called, what nobody answered. */
export const steps = ['follow', 'assume', 'answer'] as const
export type Step = (typeof steps)[number]

/**
 * The values of one file. What it answers depends on what it was given to begin with and on what it heard, in the order in
 * which it heard it, and on nothing else: whoever tells it the same again gets the same again.
 */
export type Cell = {
  begin(step: Step): void
  hear(from: number, messages: readonly string[]): void
  /** Lets values flow until nothing moves in this file, and answers what others are to hear. */
  run(): Outbox
  result(): CellResult
}

export function createCell({ number, file, facts, targets, types, platform, entry, effort }: CellInput): Cell {
  const solver = createSolver(effortOf(effort, file))
  const program = wire(solver, platform, { file, facts })
  const exported = createExports(solver, facts, targets, () => crossing)
  const crossing = createCrossing(number, solver, placeNames(facts.code, facts.names), exported)

  return {
    begin(step) {
      if (step === 'follow') {
        wireImports(crossing, facts, targets)
        addTypes(solver, facts, types)
        if (file === entry)
          escapeNode(solver, nodeNamed(crossing, nodeNames.exported(number, 'default')), handedOver(entry))
      } else if (step === 'assume') assume(solver, program)
      else {
        for (const check of solver.atRest.splice(0)) check()
        checkAllAnswered(solver, platform, program)
      }
    },
    hear(from, messages) {
      for (const message of messages) hearFrom(crossing, from, message)
    },
    run() {
      solve(solver)
      const { outbox } = crossing
      crossing.outbox = new Map()
      return outbox
    },
    result() {
      reportClaims(solver)
      const widgets = checkWidgets(solver, entry)
      return {
        problems: [...solver.problems.values()],
        uses: solver.uses,
        notified: [...solver.notified],
        definesModule: solver.modules.size > 0,
        widgets,
        steps: solver.effort.steps,
      }
    },
  }
}

function handedOver(entry: string) {
  return { to: 'handler' as const, place: { file: entry, at: 0 }, why: 'the entry file exports it' }
}

function addTypes(solver: Solver, { code }: FileFacts, types: CellInput['types']): void {
  if (!types.some((type) => type !== undefined)) return
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const type = code[start] === op.typed ? types[code[start + 2] ?? -1] : undefined
    if (type) add(solver, code[start + 1] ?? 0, typedValue(solver, type))
  }
}
