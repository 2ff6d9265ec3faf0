import type { Platform } from './context.ts'
import { escapeNode, escapeValue } from './escapes.ts'
import { callFlags, escapeReasons, type FileFacts, op } from './facts.ts'
import { reportCast, watchCall } from './invoke.ts'
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
  instructions,
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

/** Turns the facts of one file into reactions of the solver. */
export function wire(solver: Solver, platform: Platform, linked: Linked): void {
  const { facts, file, node } = linked
  const functions = facts.functions.map(
    (facts): Value => ({
      kind: 'function',
      parameters: facts.parameters.map(node),
      rest: node(facts.rest),
      result: node(facts.result),
      self: node(facts.self),
    }),
  )
  const classes = facts.classes.map((_, index) => makeClass(solver, linked, functions, index))
  const { code } = facts
  const name = (index: number) => (index < 0 ? undefined : facts.names[index])
  for (const { code: kind, start, end } of instructions(facts)) {
    const [a = 0, b = 0, c = 0, d = 0] = code.slice(start, start + 4)
    const at = (index: number): Place => ({ file, at: code[start + index] ?? 0 })
    switch (kind) {
      case op.copy:
        listen(solver, node(a), (value) => add(solver, node(b), value))
        break
      case op.load:
        listen(solver, node(a), (value) => load(solver, platform, value, name(b), node(c), at(3)))
        break
      case op.store:
        listen(solver, node(a), (value) => store(solver, platform, value, name(b), node(c), { file, at: d }))
        break
      case op.call: {
        const args = code.slice(start + 7, end).map(node)
        watchCall(solver, platform, {
          callee: node(a),
          receiver: node(b),
          result: node(c),
          place: at(3),
          flags: code[start + 4] ?? 0,
          text: name(code[start + 5] ?? -1),
          args,
        })
        break
      }
      case op.tag:
        watchTag(solver, platform, node(a), node(b), at(2), code.slice(start + 4, end).map(node))
        break
      case op.escape:
        escapeNode(solver, platform, node(a), {
          to: 'unknown',
          place: at(1),
          why: escapeReasons[c] ?? escapeReasons[2],
        })
        break
      case op.number:
        listen(solver, node(a), (value) =>
          c === 0 ? reportCast(solver, value, at(1)) : reportComparison(solver, value, at(1)),
        )
        break
      case op.text:
        listen(
          solver,
          node(a),
          (value) => (value.kind === 'ulid' || value.kind === 'hashid') && add(solver, node(b), value),
        )
        break
      case op.allocate:
        allocate(solver, linked, a, b, functions[c], classes[c])
        break
      case op.global:
        addGlobal(solver, node(a), name(b), at(2))
        break
      case op.spread:
        listen(
          solver,
          node(b),
          (value) => value.kind === 'object' && copyFields(solver, platform, node(a), value, { file, at: 0 }),
        )
        break
      case op.lasting:
        listen(solver, node(a), (value) => reportLasting(solver, value, at(1)))
        break
      case op.typed: {
        const type = facts.types[b]
        if (type) add(solver, node(a), typedValue(solver, type))
        break
      }
    }
  }
}

function allocate(
  solver: Solver,
  linked: Linked,
  local: number,
  kind: number,
  made: Value | undefined,
  class_: ClassValue | undefined,
): void {
  const target = linked.node(local)
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
function watchTag(
  solver: Solver,
  platform: Platform,
  tag: number,
  result: number,
  place: Place,
  args: readonly number[],
): void {
  listen(solver, tag, (value) => {
    if (value.kind !== 'capability') return
    for (const argument of args) {
      escapeNode(solver, platform, argument, { to: 'host', place, why: 'it is put into a template' })
      if (value.path === 'sdk.sql')
        listen(solver, argument, (held) => held.kind === 'hashid' && reportKept(solver, place))
    }
    add(solver, result, capability(solver, 'sdk.text'))
  })
  const plain = freshNode(solver)
  listen(solver, tag, (value) => value.kind !== 'capability' && add(solver, plain, value))
  watchCall(solver, platform, {
    callee: plain,
    receiver: 0,
    result,
    place,
    flags: callFlags.spread,
    text: undefined,
    args: [0, ...args],
  })
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
