import type { Value } from './solver.ts'

const methods = new WeakMap<Value, Map<string, Value>>()

/** A method of the language on a value: the same one whenever it is taken. */
export function methodOf(of: Value, name: string): Value {
  const known = methods.get(of) ?? new Map<string, Value>()
  methods.set(of, known)
  const value = known.get(name) ?? { kind: 'method', of, name }
  known.set(name, value)
  return value
}
