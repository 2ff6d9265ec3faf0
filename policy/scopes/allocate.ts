import type { Platform } from './context.ts'
import { escapeValue } from './escapes.ts'
import { nextInstruction, op } from './facts.ts'
import type { Linked } from './link.ts'
import { typedValue } from './loads.ts'
import { namesOther } from './imported-types.ts'
import {
  add,
  allocationOf,
  fieldNode,
  flow,
  intern,
  listen,
  type Place,
  report,
  type Solver,
  watchFields,
} from './solver.ts'
import { anyField, type ClassValue, type ObjectValue, objectAt, unknown, type Value } from './values.ts'

/** Puts what a file makes itself into its nodes: functions, classes, objects, globals and declared types. */
export function allocateAll(solver: Solver, platform: Platform, linked: Linked): void {
  const { facts, file } = linked
  const { code } = facts
  const functions = facts.functions.map(
    (described, at): Value => ({ kind: 'function', at, ...described, bound: undefined }),
  )
  const classes = facts.classes.map((_, index) => makeClass(solver, platform, linked, functions, index))
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const [target = 0, second = 0, third = 0] = [code[start + 1], code[start + 2], code[start + 3]]
    if (code[start] === op.allocate) allocate(solver, target, second, third, functions, classes)
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
  index: number,
  functions: readonly Value[],
  classes: readonly ClassValue[],
): void {
  const what = allocationOf(kind)
  const form = what === 'array' || what === 'lastingArray' ? 'list' : 'object'
  const object = () => objectAt(index, '', form, what.startsWith('lasting'))
  const made = what === 'function' ? functions[index] : what === 'class' ? classes[index] : object()
  if (made) add(solver, target, made)
}

function makeClass(
  solver: Solver,
  platform: Platform,
  { facts, file }: Linked,
  functions: readonly Value[],
  index: number,
): ClassValue {
  const described = facts.classes[index]
  const instance = objectAt(index, 'instance', 'object')
  const statics = objectAt(index, 'statics', 'object')
  const name = (at: number) => (at < 0 ? anyField : (facts.names[at] ?? anyField))
  for (const [key, held] of described?.members ?? []) flow(solver, held, fieldNode(solver, instance, name(key)))
  for (const [key, held] of described?.statics ?? []) flow(solver, held, fieldNode(solver, statics, name(key)))
  const self = described?.self ?? 0
  add(solver, self, instance)
  const parent = described?.parent ?? 0
  followParent(solver, platform, { file, at: 0 }, parent, instance, statics)
  const constructor_ = functions[described?.constructor_ ?? -1]
  return { kind: 'class', at: index, instance, statics, parent, constructor_, self }
}

function followParent(
  solver: Solver,
  platform: Platform,
  place: Place,
  parent: number,
  instance: ObjectValue,
  statics: ObjectValue,
): void {
  listen(solver, parent, (value) => {
    if (value.kind === 'unknown') {
      const why = 'its class extends one the scan cannot follow'
      escapeValue(solver, platform, instance, { to: 'unknown', place, why })
    }
    if (value.kind !== 'class' || value.instance === instance) return
    watchFields(value.instance, (key, held) => flow(solver, held, fieldNode(solver, instance, key)))
    watchFields(value.statics, (key, held) => flow(solver, held, fieldNode(solver, statics, key)))
    add(solver, value.self, instance)
  })
}

function addGlobal(solver: Solver, node: number, name: string | undefined, place: Place): void {
  if (name === 'arguments') {
    const message = '`arguments` holds the context where the scan does not follow it.'
    report(solver, { rule: 'scope-untraceable', place, message, fix: 'Name the parameters.' })
  }
  if (name === undefined) add(solver, node, unknown)
  else add(solver, node, intern(solver, { kind: 'global', path: name }))
}
