import { nextInstruction, op } from './facts.ts'
import type { Form, FunctionValue, ObjectValue, Value } from './values.ts'

/**
 * Names under which files tell each other of values and nodes. They count what a file makes from the beginning of the
 * statement that makes it, so that an edit renames what the same statement makes, and nothing else. The first letter is the
 * kind; text of the module's own choosing stands at the end, or behind its length, so that no two things have one name.
 */
export type PlaceNames = {
  readonly function: (index: number) => string
  readonly class: (index: number) => string
  readonly object: (index: number) => string
  /** Of an instruction, by its place in the code. */
  readonly instruction: (start: number) => string
}

export function placeNames(code: Int32Array, names: readonly string[]): PlaceNames {
  const regions: Region[] = []
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    if (code[start] !== op.region) continue
    const [name = -1, functions = 0, classes = 0, objects = 0] = code.subarray(start + 1, start + 5)
    regions.push({ name: names[name] ?? '', functions, classes, objects, start })
  }
  const counter = (what: 'functions' | 'classes' | 'objects' | 'start') => (count: number) => {
    const region = regions.findLast((one) => one[what] <= count)
    return `${region?.name ?? ''}:${count - (region?.[what] ?? 0)}`
  }
  return {
    function: counter('functions'),
    class: counter('classes'),
    object: counter('objects'),
    instruction: counter('start'),
  }
}

type Region = {
  readonly name: string
  readonly functions: number
  readonly classes: number
  readonly objects: number
  readonly start: number
}

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
      if (value.bound) return `b${value.bound.count}:${nameOf(value.bound.of)}`
      return `f${file}.${place.function(value.at)}/${shapeOf(value)}`
    case 'object':
      return `o${file}.${placeOf(place, value)}.${value.part}/${formLetters[value.form]}${value.lasting ? 'l' : ''}`
    case 'class': {
      const { at, parent, constructor_: made } = value
      const maker = made?.kind === 'function' ? `/${place.function(made.at)}/${shapeOf(made)}` : ''
      return `k${file}.${place.class(at)}/${parent === 0 ? '' : 'p'}${maker}`
    }
    case 'namespace':
      return `n${file}`
  }
}

const formLetters = { object: '', list: 'a', map: 'm' }

export function formFrom(letters: string): Form {
  return letters.startsWith('a') ? 'list' : letters.startsWith('m') ? 'map' : 'object'
}

function placeOf(place: PlaceNames, { at, part }: ObjectValue): string {
  if (part === 'instance' || part === 'statics') return place.class(at)
  return part === '' ? place.object(at) : place.instruction(at)
}

function shapeOf({ parameters, rest }: FunctionValue): string {
  return `${parameters.length}${rest === 0 ? '' : 'r'}`
}

export type Shape = { readonly parameters: number; readonly rest: boolean }

export function shapeFrom(text: string): Shape {
  return { parameters: Number.parseInt(text, 10), rest: text.endsWith('r') }
}

/** The functions and objects of a class by the name of the class. */
export function partsOfClass(name: string): {
  instance: string
  statics: string
  maker: string | undefined
  parent: boolean
} {
  const [place = '', parent, maker, shape] = name.slice(1).split('/')
  const file = place.slice(0, place.indexOf('.'))
  return {
    instance: `o${place}.instance/`,
    statics: `o${place}.statics/`,
    maker: maker === undefined ? undefined : `f${file}.${maker}/${shape ?? ''}`,
    parent: parent === 'p',
  }
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
