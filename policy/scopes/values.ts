import type { TypeFacts } from './facts.ts'

/**
 * What a node may hold. Values are shared objects: the same function, object or path is the same value everywhere in a file.
 * Of those a file makes `at` is the number among its functions, classes or objects; of objects that an instruction makes it is
 * the place of that. `part` tells the objects apart that have one place; it is empty for those that are written out.
 */
export type Value =
  | { readonly kind: 'unknown' }
  | FunctionValue
  | ObjectValue
  | ClassValue
  | { readonly kind: 'capability'; readonly path: string }
  | { readonly kind: 'global'; readonly path: string }
  | { readonly kind: 'record' | 'ulid' | 'hashid' }
  | { readonly kind: 'typed'; readonly facts: TypeFacts }
  | { readonly kind: 'namespace'; readonly exports: Exports }
  | { readonly kind: 'method'; readonly of: Value; readonly name: string }

export type FunctionValue = {
  readonly kind: 'function'
  readonly at: number
  readonly result: number
  readonly self: number
  readonly parameters: readonly number[]
  readonly rest: number
  /** Of what `bind` made: the function, and how many of its parameters it was given. */
  readonly bound: { readonly of: FunctionValue; readonly count: number } | undefined
}

export type ObjectValue = {
  readonly kind: 'object'
  readonly at: number
  readonly part: string
  readonly form: Form
  readonly lasting: boolean
  readonly fields: Map<string, number>
  /** What follows every field, those that are still to come included. */
  readonly watchers: ((name: string, node: number) => void)[]
  tainted: boolean
  /** Of an object that another file made: where its fields are, and how to hear of those still to come. */
  readonly away: Away | undefined
}
/** A Map is a list of pairs. */
export type Form = 'object' | 'list' | 'map'
export type Away = { field(name: string): number; watch(): void }
export type ClassValue = {
  readonly kind: 'class'
  readonly at: number
  readonly instance: ObjectValue
  readonly statics: ObjectValue
  readonly parent: number
  readonly constructor_: Value | undefined
  readonly self: number
}
export type Exports = (name: string) => readonly number[]

export const unknown: Value = { kind: 'unknown' }
export const anyField = '*'

export function objectAt(at: number, part: string, form: Form, lasting = false, away?: Away): ObjectValue {
  return { kind: 'object', at, part, form, lasting, fields: new Map(), watchers: [], tainted: false, away }
}

const methods = new WeakMap<Value, Map<string, Value>>()

/** A method of the language on a value: the same one whenever it is taken. */
export function methodOf(of: Value, name: string): Value {
  const known = methods.get(of) ?? new Map<string, Value>()
  methods.set(of, known)
  const value = known.get(name) ?? { kind: 'method', of, name }
  known.set(name, value)
  return value
}

const boundFunctions = new WeakMap<FunctionValue, Map<number, FunctionValue>>()

/** A function of which so many parameters have been given: the same one, with those that are left. */
export function boundOf(given: FunctionValue, more: number): FunctionValue {
  const of = given.bound?.of ?? given
  const count = Math.min((given.bound?.count ?? 0) + more, of.parameters.length)
  if (count === 0) return of
  const known = boundFunctions.get(of) ?? new Map<number, FunctionValue>()
  boundFunctions.set(of, known)
  const value = known.get(count) ?? { ...of, parameters: of.parameters.slice(count), bound: { of, count } }
  known.set(count, value)
  return value
}
