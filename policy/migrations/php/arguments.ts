/** A call's arguments by the names that Laravel's signature gives them, positional or named. */
import type { PhpNode } from './nodes.ts'
import { isNode, nameOf, refusePhp } from './nodes.ts'
import type { PhpValue, RawSql, Scope } from './values.ts'
import { evaluate, isArray, isRaw, listValues, toText } from './values.ts'

export type Arguments = {
  readonly node: PhpNode
  has(name: string): boolean
  value(name: string): PhpValue | undefined
  text(name: string): string | undefined
  name(name: string): string
  number(name: string): number | undefined
  flag(name: string, otherwise: boolean): boolean
  /** One name, or an array of names. */
  names(name: string): (string | RawSql)[]
}

export function bindArguments(
  node: PhpNode,
  passed: readonly PhpNode[],
  parameters: readonly string[],
  scope: Scope,
): Arguments {
  const values = new Map<string, PhpValue>()
  for (const [at, argument] of passed.entries()) {
    const named = argument.kind === 'namedargument'
    const name = named ? nameOf(argument.name) : parameters[at]
    if (name === undefined || !parameters.includes(name))
      refusePhp(argument, 'an argument that Laravel does not take here')
    const value = named && isNode(argument.value) ? argument.value : argument
    values.set(name, evaluate(value, scope))
  }
  return readArguments(node, values)
}

function readArguments(node: PhpNode, values: ReadonlyMap<string, PhpValue>): Arguments {
  function present(name: string): PhpValue | undefined {
    return values.get(name) ?? undefined
  }
  function text(name: string): string | undefined {
    const value = present(name)
    return value === undefined ? undefined : toText(value, node)
  }
  return {
    node,
    has: (name) => values.has(name),
    value: (name) => values.get(name),
    text,
    name: (name) => text(name) || refusePhp(node, `a ${name} that is missing`),
    number(name) {
      const value = present(name)
      if (value === undefined) return undefined
      const number = Number(toText(value, node))
      return Number.isInteger(number) && number >= 0 ? number : refusePhp(node, `a ${name} that is no whole number`)
    },
    flag(name, otherwise) {
      const value = values.get(name)
      if (value === undefined) return otherwise
      return typeof value === 'boolean' ? value : refusePhp(node, `a ${name} that is neither true nor false`)
    },
    names(name) {
      const value = present(name)
      const list = value === undefined ? [] : isArray(value) ? listValues(value) : [value]
      if (list.length === 0) refusePhp(node, 'names that are missing')
      return list.map((item) => (isRaw(item) ? item : toText(item, node)))
    },
  }
}
