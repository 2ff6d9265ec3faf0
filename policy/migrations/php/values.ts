/** Values that a migration spells out: literals and what is made of literals alone. */
import type { PhpNode } from './nodes.ts'
import { baseName, isNode, nameOf, nodesOf, refusePhp, staticCall } from './nodes.ts'

export type PhpArray = {
  readonly kind: 'array'
  readonly entries: readonly (readonly [PhpValue | undefined, PhpValue])[]
}
/** `DB::raw('...')`: SQL that is put in as it stands. */
export type RawSql = { readonly kind: 'raw'; readonly sql: string }
export type PhpValue = string | number | boolean | null | PhpArray | RawSql

/** Names known so far: constants of the class, literal properties, local variables. */
export type Scope = {
  readonly constants: ReadonlyMap<string, PhpNode>
  readonly properties: ReadonlyMap<string, PhpNode>
  readonly variables: Map<string, PhpValue>
  readonly className: string | undefined
}

export function evaluate(node: PhpNode, scope: Scope): PhpValue {
  const evaluator = evaluators[node.kind]
  return evaluator ? evaluator(node, scope) : refusePhp(node, describe(node))
}

export function isArray(value: PhpValue | undefined): value is PhpArray {
  return typeof value === 'object' && value !== null && value.kind === 'array'
}

export function isRaw(value: PhpValue | undefined): value is RawSql {
  return typeof value === 'object' && value !== null && value.kind === 'raw'
}

export function listValues(array: PhpArray): PhpValue[] {
  return array.entries.map(([, value]) => value)
}

/** As PHP's string conversion: `true` is `1`, `false` and `null` are empty, `1.50` is `1.5`. */
export function toText(value: PhpValue, node: PhpNode): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '1' : ''
  return value === null ? '' : refusePhp(node, 'an array or raw SQL where a text is needed')
}

/** The construct in PHP's words, for a refusal. */
export function describe(node: PhpNode): string {
  const called = staticCall(node)
  if (called) return `${called.target}::${called.method}()`
  const what = node.kind === 'call' && isNode(node.what) ? node.what : undefined
  if (what?.kind === 'propertylookup' && isNode(what.what)) {
    return `${describe(what.what).replace(/^the variable /, '')}->${nameOf(what.offset) ?? '…'}()`
  }
  if (node.kind === 'call') return `the call of ${nameOf(node.what) ?? 'a computed function'}()`
  if (node.kind === 'variable') return `the variable $${nameOf(node) ?? '…'}`
  return words[node.kind] ?? node.kind
}

const words: Readonly<Record<string, string>> = {
  if: 'if',
  retif: 'a ?: expression',
  closure: 'a closure',
  arrowfunc: 'an arrow function',
  propertylookup: 'a property',
  staticlookup: 'a class constant that this file does not define',
  new: 'new',
  foreach: 'foreach over values that are not literal',
  try: 'try',
  switch: 'switch',
  match: 'match',
  while: 'while',
  for: 'for',
  throw: 'throw',
  echo: 'echo',
  return: 'return',
  assign: 'an assignment',
}

type Evaluator = (node: PhpNode, scope: Scope) => PhpValue

const evaluators: Readonly<Record<string, Evaluator>> = {
  string: (node) => String(node.value),
  nowdoc: (node) => String(node.value),
  number: numberValue,
  boolean: (node) => node.value === true,
  nullkeyword: () => null,
  array: arrayValue,
  encapsed: (node, scope) =>
    nodesOf(node.value)
      .map((part) => encapsedText(part, scope))
      .join(''),
  unary: unaryValue,
  bin: concatenation,
  variable: variableValue,
  propertylookup: propertyValue,
  staticlookup: constantValue,
  call: rawCall,
  new: rawNew,
  name: (node) =>
    /^(true|false|null)$/i.test(String(node.name))
      ? keyword(String(node.name))
      : refusePhp(node, `the constant ${String(node.name)}`),
}

function keyword(name: string): PhpValue {
  const lower = name.toLowerCase()
  return lower === 'null' ? null : lower === 'true'
}

function numberValue(node: PhpNode): number {
  const written = String(node.value).replaceAll('_', '')
  // 010 is eight to PHP and ten to most readers.
  if (/^0\d/.test(written)) refusePhp(node, `the octal number ${written}`)
  const value = Number(written)
  return Number.isFinite(value) ? value : refusePhp(node, `the number ${written}`)
}

function arrayValue(node: PhpNode, scope: Scope): PhpArray {
  const entries = nodesOf(node.items).map((item) => {
    if (item.kind !== 'entry' || item.byRef || item.unpack || !isNode(item.value))
      refusePhp(item, 'an array that is not literal')
    const key = isNode(item.key) ? evaluate(item.key, scope) : undefined
    return [key, evaluate(item.value, scope)] as const
  })
  // PHP counts on from the highest number, and the last of two with one key stands in the place of the first.
  const keys = entries.flatMap(([key]) => (key === undefined ? [] : [String(key)]))
  if (keys.length > 0 && new Set(keys).size < entries.length)
    refusePhp(node, 'an array with keys for some of its entries, or one key twice')
  return { kind: 'array', entries }
}

function encapsedText(part: PhpNode, scope: Scope): string {
  const expression = part.kind === 'encapsedpart' && isNode(part.expression) ? part.expression : part
  return toText(evaluate(expression, scope), part)
}

function unaryValue(node: PhpNode, scope: Scope): PhpValue {
  const value = isNode(node.what) ? evaluate(node.what, scope) : null
  if (typeof value === 'number' && (node.type === '-' || node.type === '+')) return node.type === '-' ? -value : value
  if (typeof value === 'boolean' && node.type === '!') return !value
  return refusePhp(node, `the operator ${String(node.type)}`)
}

function concatenation(node: PhpNode, scope: Scope): PhpValue {
  if (node.type !== '.' || !isNode(node.left) || !isNode(node.right))
    refusePhp(node, `the operator ${String(node.type)}`)
  return toText(evaluate(node.left, scope), node.left) + toText(evaluate(node.right, scope), node.right)
}

function variableValue(node: PhpNode, scope: Scope): PhpValue {
  const value = scope.variables.get(nameOf(node) ?? '')
  return value === undefined ? refusePhp(node, describe(node)) : value
}

/** `$this->table` with a literal default in the class. */
function propertyValue(node: PhpNode, scope: Scope): PhpValue {
  const ofThis = isNode(node.what) && node.what.kind === 'variable' && nameOf(node.what) === 'this'
  const name = isNode(node.offset) && node.offset.kind === 'identifier' ? nameOf(node.offset) : undefined
  const value = ofThis && name ? scope.properties.get(name) : undefined
  return value ? evaluate(value, scope) : refusePhp(node, `the property ${name ?? ''}`)
}

/** `self::TABLE`, `static::TABLE`, or the class's own name in front. */
function constantValue(node: PhpNode, scope: Scope): PhpValue {
  const target = nameOf(node.what)
  const name = nameOf(node.offset)
  const reference = isNode(node.what) && /^(self|static)reference$/.test(node.what.kind)
  const own = reference || (target !== undefined && target === scope.className)
  const value = own && name ? scope.constants.get(name) : undefined
  return value
    ? evaluate(value, scope)
    : refusePhp(node, `${target ?? '…'}::${name ?? '…'}, which this file does not define`)
}

function rawCall(node: PhpNode, scope: Scope): PhpValue {
  const called = staticCall(node)
  const [argument, second] = nodesOf(node.arguments)
  if (called?.target !== 'DB' || called.method !== 'raw' || !argument || second) refusePhp(node, describe(node))
  return { kind: 'raw', sql: toText(evaluate(argument, scope), argument) }
}

function rawNew(node: PhpNode, scope: Scope): PhpValue {
  const [argument, second] = nodesOf(node.arguments)
  if (baseName(nameOf(node.what) ?? '') !== 'Expression' || !argument || second) refusePhp(node, 'new')
  return { kind: 'raw', sql: toText(evaluate(argument, scope), argument) }
}
