import type { Platform } from './context.ts'
import { escapeValue } from './escapes.ts'
import { nextInstruction, op } from './facts.ts'
import type { Linked } from './link.ts'
import { typedValue } from './loads.ts'
import { namesOther } from './imported-types.ts'
import {
  add,
  allocationOf,
  anyField,
  type ClassValue,
  fieldNode,
  flow,
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

/** Puts what a file makes itself into its nodes: functions, classes, objects, globals and declared types. */
export function allocateAll(solver: Solver, platform: Platform, linked: Linked): void {
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
  const classes = facts.classes.map((_, index) => makeClass(solver, platform, linked, functions, index))
  const { code } = facts
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const [target, second = 0, third = 0] = [node(code[start + 1] ?? 0), code[start + 2], code[start + 3]]
    if (code[start] === op.allocate) allocate(solver, target, second, functions[third], classes[third])
    else if (code[start] === op.global) addGlobal(solver, target, facts.names[second], { file, at: third })
    else if (code[start] === op.typed) {
      const type = facts.types[second]
      if (type && !namesOther(type)) add(solver, target, typedValue(solver, type))
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

function makeClass(
  solver: Solver,
  platform: Platform,
  { facts, node, file }: Linked,
  functions: readonly Value[],
  index: number,
): ClassValue {
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
    if (value.kind === 'unknown') {
      const why = 'its class extends one the scan cannot follow'
      escapeValue(solver, platform, instance, { to: 'unknown', place: { file, at: 0 }, why })
    }
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
