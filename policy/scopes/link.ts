import { allocateAll } from './allocate.ts'
import { type Platform, services } from './context.ts'
import { applyTag, reportComparison, reportLasting, store } from './effects.ts'
import { escapeValue } from './escapes.ts'
import { escapeReasons, type FileFacts, nextInstruction, op } from './facts.ts'
import { type Call, escapeAll, invoke, reportCast } from './invoke.ts'
import { load } from './loads.ts'
import { promiseMethods } from './methods.ts'
import { add, awaitValues, capability, flow, freshNode, held, type Place, type Solver } from './solver.ts'
import { methodOf, unknown, type Value } from './values.ts'
import { copyFields } from './spread.ts'

/** A file's facts and the name it has in reports. The nodes of a file are numbered from 1 in a solver of its own. */
export type Linked = { readonly file: string; readonly facts: FileFacts }

/** The instructions of a file that wait for values, by number: where in its code each begins. */
export type Program = {
  readonly linked: Linked
  readonly starts: number[]
  /** Of them the calls, and the loads of anything's `services`, and of its `then`, `catch` and `finally`. */
  readonly calls: number[]
  readonly serviceLoads: number[]
  readonly promiseLoads: number[]
}

/**
 * Lets every instruction of a file wait for its node. They stay numbers until a value arrives: in a large module most never
 * see one. Nothing is allocated before all of them wait, so no value can pass anybody by.
 */
export function wire(solver: Solver, platform: Platform, linked: Linked): Program {
  const program: Program = { linked, starts: [], calls: [], serviceLoads: [], promiseLoads: [] }
  const { code, names, nodes } = linked.facts
  for (let node = 1; node < nodes; node++) freshNode(solver)
  reactWith(solver, platform, program)
  const named = names.indexOf('services')
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const kind = code[start] ?? 0
    if (kind === op.allocate || kind === op.global || kind === op.typed || kind === op.region) continue
    const local = code[start + (kind === op.spread ? 2 : 1)] ?? 0
    if (kind === op.copy) {
      flow(solver, local, code[start + 2] ?? 0)
      continue
    }
    const instruction = program.starts.push(start) - 1
    if (kind === op.call) program.calls.push(instruction)
    else if (kind === op.load && named >= 0 && code[start + 2] === named) program.serviceLoads.push(instruction)
    else if (kind === op.load && promiseMethods.has(names[code[start + 2] ?? -1] ?? ''))
      program.promiseLoads.push(instruction)
    awaitValues(solver, local, instruction)
  }
  allocateAll(solver, platform, linked)
  return program
}

function reactWith(solver: Solver, platform: Platform, { linked, starts }: Program): void {
  const calls = new Map<number, Call>()
  solver.leave = (exit, value) => escapeValue(solver, platform, value, exit)
  solver.react = (instruction, value) => {
    const start = starts[instruction] ?? 0
    solver.at = start
    if (linked.facts.code[start] !== op.call) {
      react(solver, platform, linked, start, value)
      return
    }
    const call = calls.get(instruction) ?? callAt(linked, start)
    calls.set(instruction, call)
    invoke(solver, platform, call, value)
  }
}

/**
 * Code nothing was seen to call may still be called. A `services` taken out of a value nobody gave is taken for the real
 * one, so that the scan reports too much there rather than too little. What goes on with such a value goes on with the
 * promise of a number, of a text or of nothing: no others are left out of sight.
 */
export function assume(solver: Solver, { linked, serviceLoads, promiseLoads, starts }: Program): void {
  const { code, names } = linked.facts
  const given = (start: number) => solver.values[code[start + 1] ?? 0] !== undefined
  const unseen = (loads: readonly number[]) => loads.map((load) => starts[load] ?? 0).filter((start) => !given(start))
  for (const start of unseen(serviceLoads)) add(solver, code[start + 3] ?? 0, capability(solver, services))
  for (const start of unseen(promiseLoads))
    add(solver, code[start + 3] ?? 0, methodOf(unknown, names[code[start + 2] ?? -1] ?? ''))
}

/** Whom nobody answered, once nothing moves any more: calls of something nobody could name. */
export function checkAllAnswered(solver: Solver, platform: Platform, { linked, calls, starts }: Program): void {
  for (const instruction of calls) checkAnswered(solver, platform, linked, starts[instruction] ?? 0)
}

/** One instruction meets one value. This runs for every value of the module, so it allocates only what it reports. */
function react(solver: Solver, platform: Platform, linked: Linked, start: number, value: Value): void {
  const { code, names } = linked.facts
  const second = code[start + 2] ?? 0
  const third = code[start + 3] ?? 0
  switch (code[start]) {
    case op.load:
      load(solver, platform, value, names[second], third, placeAt(linked, start + 4))
      return
    case op.store:
      store(solver, platform, value, names[second], third, placeAt(linked, start + 4))
      return
    case op.tag: {
      const callee = code[start + 1] ?? 0
      applyTag(solver, platform, value, callee, second, placeAt(linked, start + 3), argumentsAt(linked, start, 4))
      return
    }
    case op.escape: {
      const why = escapeReasons[third] ?? escapeReasons[1]
      escapeValue(solver, platform, value, { to: 'unknown', place: placeAt(linked, start + 2), why })
      return
    }
    case op.number:
      if (third === 0) reportCast(solver, value, placeAt(linked, start + 2))
      else reportComparison(solver, value, placeAt(linked, start + 2))
      return
    case op.text:
      if (value.kind === 'ulid' || value.kind === 'hashid') add(solver, second, value)
      return
    case op.spread:
      if (value.kind === 'object') copyFields(solver, code[start + 1] ?? 0, value, { file: linked.file, at: 0 })
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
  const node = (index: number) => code[start + index] ?? 0
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
  for (let index = first; index < first + (code[start + count] ?? 0); index++) nodes.push(code[index] ?? 0)
  return nodes
}

/** A call of something nobody could name, or of what is no function, with something worth following. */
function checkAnswered(solver: Solver, platform: Platform, linked: Linked, start: number): void {
  const { code } = linked.facts
  if (held(solver, code[start + 1] ?? 0).some(({ kind }) => kind !== 'object')) return
  const call = callAt(linked, start)
  const why = 'nobody can tell what is called'
  if (call.args.some((argument) => solver.values[argument] !== undefined)) escapeAll(solver, call, 'unknown', why)
  // A method of lists and Maps that nobody taught the scan.
  for (const value of held(solver, call.receiver)) {
    if (value.kind === 'object' && value.form !== 'object')
      escapeValue(solver, platform, value, { to: 'unknown', place: call.place, why })
  }
}
