/** A place counts from 1. The message is the parser's, which says a place only of some faults, and of an open text its end. */
export type JsonFault = { readonly line: number; readonly column: number; readonly message: string }

/** Where a text that JSON.parse refused is no JSON, and what it said of it. */
export function jsonFault(text: string, error: unknown): JsonFault {
  const before = text.slice(0, firstFault(text)).split('\n')
  const said = error instanceof Error ? error.message : String(error)
  const message = said.replace(/ at position \d+.*$/, '').slice(0, 300)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message }
}

const string = '"[ !#-\\[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\dA-Fa-f]{4})[ !#-\\[\\]-\\uffff]*)*"'
const scalar = `${string}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`
const piece = (pattern: string) => new RegExp(`[ \\t\\r\\n]*(${pattern})`, 'y')

const value = piece(`${scalar}|[{[]`)
const firstItem = piece(`${scalar}|[{[\\]]`)
const key = piece(string)
const firstKey = piece(`${string}|\\}`)
const colon = piece(':')
const afterItem = piece('[,\\]]')
const afterEntry = piece('[,}]')
const nothing = piece('(?!)')

/** Where the first piece stands that may not follow those before it; the end of a text that is only unfinished. */
function firstFault(text: string): number {
  const open: string[] = []
  let wanted = value
  for (let at = 0; ; ) {
    wanted.lastIndex = at
    const found = wanted.exec(text)?.[1]
    if (found === undefined) return at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0)
    at = wanted.lastIndex
    wanted = next(found, wanted, open)
  }
}

function next(found: string, wanted: RegExp, open: string[]): RegExp {
  if (found === '{' || found === '[') {
    open.push(found)
    return found === '{' ? firstKey : firstItem
  }
  if (found === ':') return value
  if (found === ',') return open.at(-1) === '{' ? key : value
  if (found === '}' || found === ']') open.pop()
  else if (wanted === key || wanted === firstKey) return colon
  if (open.length === 0) return nothing
  return open.at(-1) === '{' ? afterEntry : afterItem
}
