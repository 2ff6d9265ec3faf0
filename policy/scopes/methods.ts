/**
 * What a method of a list does with the elements. Sets and iterators are lists, and so are the lists of records that the
 * platform answers with.
 */
export type ListMethod = {
  /** What its callback is given: an element, two to be compared, or what came of those before and the next one. */
  readonly calls?: 'element' | 'both' | 'next'
  /**
   * What it answers with: the list, one of its elements, a list of what the callback answers or of what is inside of that, a
   * list of pairs, a step of an iterator. A copy is the list itself here: what is done to the one counts for the other.
   */
  readonly gives?: 'list' | 'element' | 'mapped' | 'flat' | 'pairs' | 'step'
  /** Its arguments become elements, from this one on; or what is in them does. */
  readonly takes?: number
  readonly takesInside?: boolean
  /** Elements are afterwards at other places. */
  readonly moves?: boolean
}

const calling: ListMethod = { calls: 'element' }
const copying: ListMethod = { gives: 'list', moves: true }

export const listMethods: ReadonlyMap<string, ListMethod> = new Map<string, ListMethod>([
  ...['forEach', 'some', 'every', 'findIndex', 'findLastIndex'].map((name): [string, ListMethod] => [name, calling]),
  ...['slice', 'toReversed', 'values', 'take', 'drop', 'toArray', 'difference', 'intersection'].map(
    (name): [string, ListMethod] => [name, copying],
  ),
  ...['keys', 'includes', 'indexOf', 'lastIndexOf', 'join', 'has', 'delete', 'clear', 'isSubsetOf'].map(
    (name): [string, ListMethod] => [name, {}],
  ),
  ['map', { calls: 'element', gives: 'mapped' }],
  ['flatMap', { calls: 'element', gives: 'flat' }],
  ['filter', { calls: 'element', gives: 'list', moves: true }],
  ['find', { calls: 'element', gives: 'element' }],
  ['findLast', { calls: 'element', gives: 'element' }],
  ['reduce', { calls: 'next' }],
  ['reduceRight', { calls: 'next' }],
  ['sort', { calls: 'both', gives: 'list', moves: true }],
  ['toSorted', { calls: 'both', gives: 'list', moves: true }],
  ['reverse', { gives: 'list', moves: true }],
  ['copyWithin', { gives: 'list', moves: true }],
  ['at', { gives: 'element' }],
  ['pop', { gives: 'element' }],
  ['shift', { gives: 'element', moves: true }],
  ['entries', { gives: 'pairs' }],
  ['flat', { gives: 'flat' }],
  ['push', { takes: 0 }],
  ['unshift', { takes: 0, moves: true }],
  ['add', { takes: 0, gives: 'list' }],
  ['fill', { takes: 0, gives: 'list' }],
  ['splice', { takes: 2, gives: 'list', moves: true }],
  ['toSpliced', { takes: 2, gives: 'list', moves: true }],
  ['with', { takes: 1, gives: 'list', moves: true }],
  ['concat', { takes: 0, takesInside: true, gives: 'list' }],
  ['union', { takes: 0, takesInside: true, gives: 'list' }],
  ['symmetricDifference', { takes: 0, takesInside: true, gives: 'list' }],
  ['next', { gives: 'step' }],
])

/** A promise and what it will hold are one value here, so whatever a value is, somebody may go on with it. */
export const promiseMethods: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])
/** Of every value. */
export const commonMethods: ReadonlySet<string> = new Set([...promiseMethods, 'valueOf'])

/** A Map is a list of pairs; what makes it more than one. */
export const mapMethods: ReadonlySet<string> = new Set([
  'get',
  'set',
  'has',
  'delete',
  'clear',
  'forEach',
  'keys',
  'values',
  'entries',
])

/** What these make of an identifier is still that identifier. */
export const textMethods: ReadonlySet<string> = new Set([
  'toString',
  'trim',
  'toUpperCase',
  'toLowerCase',
  'normalize',
  'valueOf',
  'padStart',
  'padEnd',
  'slice',
  'substring',
  'substr',
  'replace',
  'replaceAll',
])
