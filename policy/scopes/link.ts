import { allocateAll } from './allocate.ts'
import { type Platform, services } from './context.ts'
import { applyTag, reportComparison, reportLasting, store } from './effects.ts'
import { escapeValue } from './escapes.ts'
import { escapeReasons, type FileFacts, nextInstruction, op } from './facts.ts'
import { type Call, escapeAll, invoke, reportCast } from './invoke.ts'
import { load } from './loads.ts'
import { add, awaitValues, capability, flow, freshNode, type Place, type Solver, type Value } from './solver.ts'
import { copyFields } from './spread.ts'

/** A file's facts placed among the nodes of the whole module. */
export type Linked = {
  readonly file: string
  readonly facts: FileFacts
  readonly base: number
  readonly node: (local: number) => number
}

export function place(solver: Solver, file: string, facts: FileFacts): Linked {
  const base = solver.values.length - 1
  for (let index = 1; index < facts.nodes; index++) freshNode(solver)
  return { file, facts, base, node: (local) => (local === 0 ? 0 : base + local) }
}

/** All instructions of a module, by number: the file of each and where in its code it begins. */
export type Program = {
  readonly files: Linked[]
  readonly owners: number[]
  readonly starts: number[]
  /** Of them the calls, and the loads of anything's `services`. */
  readonly calls: number[]
  readonly serviceLoads: number[]
}

/** A program without files, whose instructions do what they are there for when values arrive. */
export function createProgram(solver: Solver, platform: Platform): Program {
  const program: Program = { files: [], owners: [], starts: [], calls: [], serviceLoads: [] }
  const calls = new Map<number, Call>()
  solver.leave = (exit, value) => escapeValue(solver, platform, value, exit)
  solver.react = (instruction, value) => {
    const linked = program.files[program.owners[instruction] ?? -1]
    const start = program.starts[instruction] ?? 0
    if (!linked) return
    if (linked.facts.code[start] !== op.call) {
      react(solver, platform, linked, start, value)
      return
    }
    const call = calls.get(instruction) ?? callAt(linked, start)
    calls.set(instruction, call)
    invoke(solver, platform, call, value)
  }
  return program
}

/**
 * Lets every instruction wait for its node. They stay numbers until a value arrives: in a large module most never see one.
 * Nothing is allocated before all of these files wait, so no value can pass anybody by.
 */
export function wire(solver: Solver, platform: Platform, program: Program, files: readonly Linked[]): void {
  for (const linked of files) {
    const owner = program.files.push(linked) - 1
    const { base } = linked
    const { code, names } = linked.facts
    const named = names.indexOf('services')
    for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
      const kind = code[start] ?? 0
      if (kind === op.allocate || kind === op.global || kind === op.typed) continue
      const local = code[start + (kind === op.spread ? 2 : 1)] ?? 0
      if (kind === op.copy) {
        flow(solver, local === 0 ? 0 : base + local, linked.node(code[start + 2] ?? 0))
        continue
      }
      program.owners.push(owner)
      const instruction = program.starts.push(start) - 1
      if (kind === op.call) program.calls.push(instruction)
      else if (kind === op.load && named >= 0 && code[start + 2] === named) program.serviceLoads.push(instruction)
      awaitValues(solver, local === 0 ? 0 : base + local, instruction)
    }
  }
  for (const linked of files) allocateAll(solver, platform, linked)
}

/**
 * Code nothing was seen to call may still be called. A `services` taken out of a value nobody gave is taken for the real
 * one, so that the scan reports too much there rather than too little.
 */
export function assumeServices(solver: Solver, program: Program): void {
  for (const instruction of program.serviceLoads) {
    const linked = program.files[program.owners[instruction] ?? -1]
    const start = program.starts[instruction] ?? 0
    const { code } = linked?.facts ?? { code: [] }
    if (linked && solver.values[linked.node(code[start + 1] ?? 0)] === undefined)
      add(solver, linked.node(code[start + 3] ?? 0), capability(solver, services))
  }
}

/** Whom nobody answered, once nothing moves any more: calls of something nobody could name. */
export function checkAllAnswered(solver: Solver, program: Program): void {
  for (const instruction of program.calls) {
    const linked = program.files[program.owners[instruction] ?? -1]
    if (linked) checkAnswered(solver, linked, program.starts[instruction] ?? 0)
  }
}

/** One instruction meets one value. This runs for every value of the module, so it allocates only what it reports. */
function react(solver: Solver, platform: Platform, linked: Linked, start: number, value: Value): void {
  const { code, names } = linked.facts
  const second = code[start + 2] ?? 0
  const third = code[start + 3] ?? 0
  switch (code[start]) {
    case op.load:
      load(solver, platform, value, names[second], linked.node(third), placeAt(linked, start + 4))
      return
    case op.store:
      store(solver, platform, value, names[second], linked.node(third), placeAt(linked, start + 4))
      return
    case op.tag: {
      const callee = linked.node(code[start + 1] ?? 0)
      applyTag(
        solver,
        platform,
        value,
        callee,
        linked.node(second),
        placeAt(linked, start + 3),
        argumentsAt(linked, start, 4),
      )
      return
    }
    case op.escape: {
      const why = escapeReasons[third] ?? escapeReasons[2]
      escapeValue(solver, platform, value, { to: 'unknown', place: placeAt(linked, start + 2), why })
      return
    }
    case op.number:
      if (third === 0) reportCast(solver, value, placeAt(linked, start + 2))
      else reportComparison(solver, value, placeAt(linked, start + 2))
      return
    case op.text:
      if (value.kind === 'ulid' || value.kind === 'hashid') add(solver, linked.node(second), value)
      return
    case op.spread:
      if (value.kind === 'object')
        copyFields(solver, linked.node(code[start + 1] ?? 0), value, { file: linked.file, at: 0 })
      return
    case op.lasting:
      reportLasting(solver, value, placeAt(linked, start + 2))
      return
    case op.protocol: {
      if (value.kind !== 'function') return
      const why = 'the language itself may call it under this name'
      escapeValue(solver, platform, value, { to: 'unknown', place: placeAt(linked, start + 2), why })
    }
  }
}

function placeAt(linked: Linked, index: number): Place {
  return { file: linked.file, at: linked.facts.code[index] ?? 0 }
}

function callAt(linked: Linked, start: number): Call {
  const { code, names } = linked.facts
  const node = (index: number) => linked.node(code[start + index] ?? 0)
  return {
    callee: node(1),
    receiver: node(2),
    result: node(3),
    place: { file: linked.file, at: code[start + 4] ?? 0 },
    flags: code[start + 5] ?? 0,
    text: names[code[start + 6] ?? -1],
    args: argumentsAt(linked, start, 7),
  }
}

function argumentsAt(linked: Linked, start: number, count: number): number[] {
  const { code } = linked.facts
  const first = start + count + 1
  const nodes: number[] = []
  for (let index = first; index < first + (code[start + count] ?? 0); index++) nodes.push(linked.node(code[index] ?? 0))
  return nodes
}

/** A call of something nobody could name, with something worth following among its arguments. */
function checkAnswered(solver: Solver, linked: Linked, start: number): void {
  const { code } = linked.facts
  if (solver.values[linked.node(code[start + 1] ?? 0)] !== undefined) return
  const call = callAt(linked, start)
  if (!call.args.some((argument) => solver.values[argument] !== undefined)) return
  escapeAll(solver, call, 'unknown', 'nobody can tell what is called')
}
