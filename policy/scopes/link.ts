import type { Platform } from './context.ts'
import { escapeNode, escapeValue } from './escapes.ts'
import { callFlags, escapeReasons, type FileFacts, op } from './facts.ts'
import { type Call, escapeAll, invoke, reportCast } from './invoke.ts'
import { load, typedValue } from './loads.ts'
import {
  add,
  allocationOf,
  anyField,
  capability,
  type ClassValue,
  fieldNode,
  flow,
  freshNode,
  nextInstruction,
  intern,
  listen,
  newObject,
  type Place,
  report,
  type Solver,
  unknown,
  type Value,
  watchFields,
} from './solver.ts'
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

/**
 * Lets every instruction wait for its node. They stay numbers until a value arrives: in a large module most never see one.
 * Nothing is allocated before all files wait, so no value can pass anybody by.
 */
export function wire(solver: Solver, platform: Platform, files: readonly Linked[]): void {
  const owners: Linked[] = []
  const starts: number[] = [0]
  const calls = new Map<number, Call>()
  for (const linked of files) {
    const { code } = linked.facts
    for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
      const kind = code[start] ?? 0
      if (kind === op.allocate || kind === op.global || kind === op.typed) continue
      const node = linked.node(code[start + (kind === op.spread ? 2 : 1)] ?? 0)
      const instruction = starts.push(start) - 1
      owners[instruction] = linked
      solver.following[instruction] = solver.waiting[node] ?? 0
      solver.waiting[node] = instruction
    }
  }
  solver.react = (instruction, value) => {
    const linked = owners[instruction]
    const start = starts[instruction] ?? 0
    if (!linked) return
    if (linked.facts.code[start] !== op.call) {
      react(solver, platform, linked, start, value)
      return
    }
    const call = calls.get(instruction) ?? callAt(linked, start)
    calls.set(instruction, call)
    invoke(solver, platform, call, value)
  }
  solver.atRest.push(() => {
    for (let instruction = 1; instruction < starts.length; instruction++) {
      const linked = owners[instruction]
      if (linked) checkAnswered(solver, platform, linked, starts[instruction] ?? 0)
    }
  })
  for (const linked of files) allocateAll(solver, linked)
}

/** One instruction meets one value. This runs for every value of the module, so it allocates only what it reports. */
function react(solver: Solver, platform: Platform, linked: Linked, start: number, value: Value): void {
  const { code, names } = linked.facts
  const second = code[start + 2] ?? 0
  const third = code[start + 3] ?? 0
  switch (code[start]) {
    case op.copy:
      add(solver, linked.node(second), value)
      return
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
  return code.slice(first, first + (code[start + count] ?? 0)).map(linked.node)
}

/** A call of something nobody could name, with something worth following among its arguments. */
function checkAnswered(solver: Solver, platform: Platform, linked: Linked, start: number): void {
  const { code } = linked.facts
  if (code[start] !== op.call || solver.values[linked.node(code[start + 1] ?? 0)] !== undefined) return
  const call = callAt(linked, start)
  if (!call.args.some((argument) => solver.values[argument] !== undefined)) return
  escapeAll(solver, platform, call, 'unknown', 'nobody can tell what is called')
}

function allocateAll(solver: Solver, linked: Linked): void {
  const { facts, node, file } = linked
  const functions = facts.functions.map(
    (described): Value => ({
      kind: 'function',
      parameters: described.parameters.map(node),
      rest: node(described.rest),
      result: node(described.result),
      self: node(described.self),
    }),
  )
  const classes = facts.classes.map((_, index) => makeClass(solver, linked, functions, index))
  const { code } = facts
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const [target, second = 0, third = 0] = [node(code[start + 1] ?? 0), code[start + 2], code[start + 3]]
    if (code[start] === op.allocate) allocate(solver, target, second, functions[third], classes[third])
    else if (code[start] === op.global) addGlobal(solver, target, facts.names[second], { file, at: third })
    else if (code[start] === op.typed) {
      const type = facts.types[second]
      if (type) add(solver, target, typedValue(solver, type))
    }
  }
}

function allocate(
  solver: Solver,
  target: number,
  kind: number,
  made: Value | undefined,
  class_: ClassValue | undefined,
): void {
  const what = allocationOf(kind)
  if (what === 'function') {
    if (made) add(solver, target, made)
  } else if (what === 'class') {
    if (class_) add(solver, target, class_)
  } else {
    const object = newObject(what === 'array' || what === 'lastingArray', what.startsWith('lasting'))
    add(solver, target, object)
  }
}

function makeClass(solver: Solver, { facts, node }: Linked, functions: readonly Value[], index: number): ClassValue {
  const described = facts.classes[index]
  const instance = newObject(false)
  const statics = newObject(false)
  const name = (at: number) => (at < 0 ? anyField : (facts.names[at] ?? anyField))
  for (const [key, held] of described?.members ?? []) flow(solver, node(held), fieldNode(solver, instance, name(key)))
  for (const [key, held] of described?.statics ?? []) flow(solver, node(held), fieldNode(solver, statics, name(key)))
  const self = node(described?.self ?? 0)
  add(solver, self, instance)
  const parent = node(described?.parent ?? 0)
  listen(solver, parent, (value) => {
    if (value.kind !== 'class' || value.instance === instance) return
    watchFields(value.instance, (key, held) => flow(solver, held, fieldNode(solver, instance, key)))
    watchFields(value.statics, (key, held) => flow(solver, held, fieldNode(solver, statics, key)))
    add(solver, value.self, instance)
  })
  return { kind: 'class', instance, statics, parent, constructor_: functions[described?.constructor_ ?? -1], self }
}

function addGlobal(solver: Solver, node: number, name: string | undefined, place: Place): void {
  if (name === 'arguments') {
    const message = '`arguments` holds the context where the scan does not follow it.'
    report(solver, { rule: 'scope-untraceable', place, message, fix: 'Name the parameters.' })
  }
  if (name === undefined) add(solver, node, unknown)
  else add(solver, node, intern(solver, { kind: 'global', path: name }))
}

function store(
  solver: Solver,
  platform: Platform,
  target: Value,
  name: string | undefined,
  from: number,
  place: Place,
): void {
  if (target.kind === 'object') {
    flow(solver, from, fieldNode(solver, target, name ?? anyField))
    if (target.lasting) listen(solver, from, (value) => reportLasting(solver, value, place))
  } else if (target.kind === 'class') flow(solver, from, fieldNode(solver, target.statics, name ?? anyField))
  else if (
    target.kind === 'unknown' ||
    target.kind === 'global' ||
    target.kind === 'function' ||
    target.kind === 'method'
  ) {
    listen(solver, from, (value) =>
      escapeValue(solver, platform, value, {
        to: 'unknown',
        place,
        why: 'it is put into something the scan cannot follow',
      }),
    )
  }
}

function reportLasting(solver: Solver, value: Value, place: Place): void {
  if (value.kind !== 'capability' || !value.path.startsWith('ctx')) return
  const message =
    'This outlives the call: several calls run at once, and another one would act with the authority of this.'
  report(solver, {
    rule: 'context-stored',
    place,
    message,
    fix: 'Pass the context, or what you need of it, as an argument.',
  })
}

function reportComparison(solver: Solver, value: Value, place: Place): void {
  if (value.kind !== 'ulid' && value.kind !== 'hashid') return
  const message = 'An identifier is a text of 26 characters: compared as a number it says nothing.'
  report(solver, {
    rule: 'ulid-numeric-comparison',
    place,
    message,
    fix: 'Compare with `===`; to sort, use `localeCompare` or the database.',
  })
}

/** Tags of the SDK bind and escape their values; a tag of the module is a function like others. */
function applyTag(
  solver: Solver,
  platform: Platform,
  tag: Value,
  callee: number,
  result: number,
  place: Place,
  args: readonly number[],
): void {
  if (tag.kind !== 'capability') {
    invoke(
      solver,
      platform,
      { callee, receiver: 0, result, place, flags: callFlags.spread, text: undefined, args: [0, ...args] },
      tag,
    )
    return
  }
  for (const argument of args) {
    escapeNode(solver, platform, argument, { to: 'host', place, why: 'it is put into a template' })
    if (tag.path === 'sdk.sql')
      listen(solver, argument, (value) => value.kind === 'hashid' && reportKept(solver, place))
  }
  add(solver, result, capability(solver, 'sdk.text'))
}

function reportKept(solver: Solver, place: Place): void {
  const message = 'A studentHashid is valid within this call only: kept in a table it means nothing tomorrow.'
  report(solver, {
    rule: 'student-hashid-misuse',
    place,
    message,
    fix: 'Store the `id` that `services.education.students.byHashid` answers.',
  })
}
