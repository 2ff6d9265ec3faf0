import { fieldsOf, stringsOf } from './ast.ts'
import { clip, longest } from './default-names.ts'

/**
 * The words that an index's elements add to its default name, each of them once. Follows ChooseIndexColumnNames and
 * FigureIndexColname of the server.
 */
export function indexWords(elements: readonly unknown[]): string[] {
  const words: string[] = []
  for (const element of elements) {
    const { name, expr } = fieldsOf(element, 'IndexElem') ?? {}
    const own = typeof name === 'string' ? name : (wordOf(expr)?.word ?? 'expr')
    let word = own
    for (let count = 1; words.includes(word); count++) word = `${clip(own, longest - String(count).length)}${count}`
    words.push(word)
  }
  return words
}

/** `weak`: it gives way to the word of what stands around it. */
type Word = { word: string; weak?: boolean }

/** What the server calls an expression; undefined where it has no word for it. */
function wordOf(node: unknown): Word | undefined {
  const column = last(fieldsOf(node, 'ColumnRef')?.fields)
  if (column) return { word: column }
  const called = last(fieldsOf(node, 'FuncCall')?.funcname)
  if (called) return { word: called }
  const field = fieldsOf(node, 'A_Indirection')
  if (field) return wordFrom(last(field.indirection)) ?? wordOf(field.arg)
  const collated = fieldsOf(node, 'CollateClause')
  if (collated) return wordOf(collated.arg)
  const cast = fieldsOf(node, 'TypeCast')
  if (cast) return unlessStrong(cast.arg, last((cast.typeName as Record<string, unknown> | undefined)?.names))
  const cases = fieldsOf(node, 'CaseExpr')
  if (cases) return unlessStrong(cases.defresult, 'case')
  if (fieldsOf(node, 'A_Expr')?.kind === 'AEXPR_NULLIF') return { word: 'nullif' }
  const most = fieldsOf(node, 'MinMaxExpr')
  if (most) return { word: most.op === 'IS_LEAST' ? 'least' : 'greatest' }
  return wordFrom(fixed.find(([type]) => fieldsOf(node, type))?.[1])
}

const fixed = [
  ['CoalesceExpr', 'coalesce'],
  ['A_ArrayExpr', 'array'],
  ['RowExpr', 'row'],
] as const

function unlessStrong(inner: unknown, word: string | undefined): Word | undefined {
  const found = wordOf(inner)
  return word === undefined || (found && !found.weak) ? found : { word, weak: true }
}

const wordFrom = (word: string | undefined): Word | undefined => (word === undefined ? undefined : { word })
const last = (list: unknown): string | undefined => stringsOf(list).findLast((text) => text !== undefined)
