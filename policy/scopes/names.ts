import { nextInstruction, op } from './facts.ts'
import type { Value } from './solver.ts'

/**
 * Names under which files tell each other of values and nodes. They say where in the code of its file something is made,
 * counted from the beginning of its statement, so that an edit renames what the same statement makes, and nothing else.
 * The first letter is the kind; text of the module's own choosing stands at the end, or behind its length, so that no two
 * things can have one name.
 */
export type PlaceNames = (at: number) => string

export function placeNames(code: Int32Array, names: readonly string[]): PlaceNames {
  const starts: number[] = []
  const regions: string[] = []
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    if (code[start] !== op.region) continue
    starts.push(start)
    regions.push(names[code[start + 1] ?? -1] ?? '')
  }
  return (at) => {
    let index = starts.length - 1
    while (index > 0 && (starts[index] ?? 0) > at) index--
    return `${regions[index] ?? ''}:${at - (starts[index] ?? 0)}`
  }
}

type FunctionValue = Extract<Value, { kind: 'function' }>

/** The name of a value that this file makes; those it has of others are known by the names they came with. */
export function nameOwn(file: number, place: PlaceNames, value: Value, nameOf: (value: Value) => string): string {
  switch (value.kind) {
    case 'unknown':
      return 'u'
    case 'record':
      return 'r'
    case 'ulid':
      return 'l'
    case 'hashid':
      return 'h'
    case 'global':
      return `g${value.path}`
    case 'capability':
      return `c${value.path}`
    case 'typed':
      return `t${JSON.stringify(value.facts)}`
    case 'method':
      return `m${value.name.length}:${value.name}${nameOf(value.of)}`
    case 'function':
      return `f${file}.${place(value.at)}/${shapeOf(value)}`
    case 'object':
      return `o${file}.${place(value.at)}.${value.nth}/${value.array ? 'a' : ''}${value.lasting ? 'l' : ''}`
    case 'class': {
      const made = value.constructor_?.kind === 'function' ? `n${shapeOf(value.constructor_)}` : ''
      return `k${file}.${place(value.at)}/${value.parent === 0 ? '' : 'p'}${made}`
    }
    case 'namespace':
      return `n${file}`
  }
}

function shapeOf({ parameters, rest }: FunctionValue): string {
  return `${parameters.length}${rest === 0 ? '' : 'r'}`
}

export type Shape = { readonly parameters: number; readonly rest: boolean }

export function shapeFrom(text: string): Shape {
  return { parameters: Number.parseInt(text, 10), rest: text.endsWith('r') }
}

/** The file that made a value, or in which a node is; undefined for what is the same in every file. */
export function ownerOf(name: string): number | undefined {
  return /^[fokn]/.test(name) ? Number.parseInt(name.slice(1), 10) : undefined
}

/** What stands behind `<length>:` and after it. */
export function splitCounted(text: string): [counted: string, rest: string] {
  const colon = text.indexOf(':')
  const end = colon + 1 + Number(text.slice(0, colon))
  return [text.slice(colon + 1, end), text.slice(end)]
}

export function counted(text: string): string {
  return `${text.length}:${text}`
}

/** Nodes by the value they belong to. */
export const nodeNames = {
  parameter: (of: string, index: number) => `${of} ${index}`,
  rest: (of: string) => `${of} a`,
  result: (of: string) => `${of} r`,
  self: (of: string) => `${of} s`,
  parent: (of: string) => `${of} p`,
  field: (of: string, name: string) => `${of} .${name}`,
  exported: (file: number, name: string) => `n${file} ${name}`,
} as const

export function splitNode(name: string): [of: string, part: string] {
  const space = name.indexOf(' ')
  return [name.slice(0, space), name.slice(space + 1)]
}
