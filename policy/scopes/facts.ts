/**
 * What one file says about the flow of values, as plain numbers, so that it crosses threads and waits in the cache.
 * A node is a set of values; 0 is the node of values nobody needs to follow (numbers, texts, results of operators).
 */
export const op = {
  /** from, to */
  copy: 0,
  /** object, name (-1: not known), to, place */
  load: 1,
  /** object, name (-1: not known), from, place */
  store: 2,
  /** callee, receiver, result, place, flags, text of the first argument (-1: not known), count, arguments… */
  call: 3,
  /** tag, result, place, count, values… */
  tag: 4,
  /** node, place, reason (index of `escapeReasons`) */
  escape: 5,
  /** node, place, 0 cast or 1 comparison */
  number: 6,
  /** from, to: the text of a value */
  text: 7,
  /** node, kind (index of `allocations`), index */
  allocate: 8,
  /** node, name, place: a global, or -1 for a value nothing is known of */
  global: 9,
  /** from, to: the properties of one object copied into another */
  spread: 10,
  /** node, place: a variable or object that outlives the call */
  lasting: 11,
  /** node, index of `types` */
  typed: 12,
  /** value, place: it is put under a name made at run time, which may be one the language itself calls (`Symbol.iterator`) */
  protocol: 13,
  /** name, functions, classes, objects before it: what follows is of this statement of the module, up to the next one */
  region: 14,
} as const

/** How many numbers follow each opcode; calls and tags end with a count and that many more. */
export const operands = [2, 4, 4, 7, 4, 3, 3, 2, 3, 3, 2, 2, 2, 2, 4] as const

/** Where the instruction after the one at `start` begins; `start` is the place of its opcode. */
export function nextInstruction(code: Int32Array, start: number): number {
  const kind = code[start] ?? 0
  const fixed = operands[kind] ?? 0
  const variable = kind === op.call || kind === op.tag ? (code[start + fixed] ?? 0) : 0
  return start + 1 + fixed + variable
}

/** `lasting`: what is made by the call outlives the calls of handlers, for the module itself makes it. */
export const callFlags = { construct: 1, spread: 2, lasting: 4 } as const
export const escapeReasons = ['it is thrown', 'it is used in a form the scan does not follow'] as const
export const allocations = ['function', 'object', 'array', 'class', 'lastingObject', 'lastingArray'] as const

export type FunctionFacts = {
  readonly parameters: readonly number[]
  readonly rest: number
  readonly result: number
  readonly self: number
}
export type ClassFacts = {
  readonly parent: number
  readonly constructor_: number
  readonly members: readonly (readonly [name: number, node: number])[]
  readonly statics: readonly (readonly [name: number, node: number])[]
  readonly self: number
}
export type ImportFacts = { readonly specifier: string; readonly name: string; readonly node: number }
export type ExportFacts = { readonly name: string; readonly node: number }
export type ReexportFacts = { readonly specifier: string; readonly name: string; readonly as: string }

/** What a declared type says: `ulid`, `record` (one of the SDK's), fields that are such, or a type of another file. */
export type TypeFacts = 'ulid' | 'record' | ImportedType | { readonly [field: string]: TypeFacts }
export type ImportedType = readonly [specifier: string, name: string]

export function isImported(type: Exclude<TypeFacts, string>): type is ImportedType {
  return Array.isArray(type)
}

export type FileFacts = {
  readonly nodes: number
  readonly code: Int32Array
  readonly names: readonly string[]
  readonly functions: readonly FunctionFacts[]
  readonly classes: readonly ClassFacts[]
  readonly objects: number
  readonly imports: readonly ImportFacts[]
  readonly exports: readonly ExportFacts[]
  readonly reexports: readonly ReexportFacts[]
  /** Every specifier with its place, those imported for their effect included. */
  readonly specifiers: readonly (readonly [specifier: string, place: number])[]
  readonly types: readonly TypeFacts[]
  /** The types other files may name, by name, as far as they say anything. */
  readonly declaredTypes: readonly (readonly [name: string, type: TypeFacts])[]
  /** Scopes written out in `requiredScopes` of a tool, with their places. */
  readonly requiredScopes: readonly (readonly [scope: string, place: number])[]
}

const columns = 4096
const mostLines = 2 ** 19 - 1

/** A line and a column (both from 1) in one number. */
export function place(line: number, column: number): number {
  return Math.min(line, mostLines) * columns + Math.min(column, columns - 1)
}

export function lineAndColumn(at: number): { line: number; column: number } {
  return { line: Math.max(1, Math.floor(at / columns)), column: Math.max(1, at % columns) }
}
