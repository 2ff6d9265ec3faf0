import type { Platform } from './context.ts'
import { type Call, escapeAll } from './invoke.ts'
import { load } from './loads.ts'
import { add, fieldNode, flow, freshNode, listen, objectHere, type Place, type Solver, watchFields } from './solver.ts'
import { anyField, type ObjectValue, unknown, type Value } from './values.ts'

/** What a function of the language, of this path, does to the values it is given. */
export type GlobalFunction = (solver: Solver, platform: Platform, call: Call, path: string) => void

/** Of functions nobody taught the scan: what they are given it sees no more. */
export function loseSight(solver: Solver, call: Call, path: string): void {
  escapeAll(solver, call, 'library', `it is given to \`${path}\``)
  add(solver, call.result, unknown)
}

/** A class of the language. What is made of a class of the module that extends it is not followed. */
export function constructing(make: GlobalFunction): GlobalFunction {
  return (solver, platform, call, path) => {
    if (call.receiver === 0 && call.result !== 0) make(solver, platform, call, path)
    else loseSight(solver, call, path)
  }
}

/** A node that holds one value. */
export function nodeOf(solver: Solver, value: Value): number {
  const node = freshNode(solver)
  add(solver, node, value)
  return node
}

/** A node that holds whatever is in any field of an object. */
export function elementsOf(solver: Solver, object: ObjectValue): number {
  const elements = freshNode(solver)
  watchFields(object, (_name, node) => flow(solver, node, elements))
  return elements
}

/** The list that the instruction at work makes in this part of what a node holds. */
export function listOf(solver: Solver, part: string, elements: number): ObjectValue {
  const made = objectHere(solver, part, 'list')
  flow(solver, elements, fieldNode(solver, made, anyField))
  return made
}

export function pairOf(solver: Solver, first: number, second: number): ObjectValue {
  const pair = objectHere(solver, 'pair', 'list')
  flow(solver, first, fieldNode(solver, pair, '0'))
  flow(solver, second, fieldNode(solver, pair, '1'))
  return pair
}

export function objectWith(solver: Solver, part: string, fields: Readonly<Record<string, number>>): ObjectValue {
  const made = objectHere(solver, part, 'object')
  for (const [name, node] of Object.entries(fields)) flow(solver, node, fieldNode(solver, made, name))
  return made
}

/** What is in the lists of one node goes into another, as does what is no list. */
export function flatten(solver: Solver, from: number, to: number): void {
  listen(solver, from, (value) => {
    if (value.kind === 'object' && value.form !== 'object') watchFields(value, (_name, node) => flow(solver, node, to))
    else add(solver, to, value)
  })
}

/** A node for all that is in the lists, Maps or objects of another. */
export function inside(solver: Solver, platform: Platform, source: number, place: Place): number {
  const elements = freshNode(solver)
  listen(solver, source, (value) => load(solver, platform, value, undefined, elements, place))
  return elements
}

/** A node for what is at one place in the lists of another: the keys, or the values, of pairs. */
export function partOf(solver: Solver, platform: Platform, lists: number, part: string, place: Place): number {
  const parts = freshNode(solver)
  listen(solver, lists, (list) => load(solver, platform, list, part, parts, place))
  return parts
}
