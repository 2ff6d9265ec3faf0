/** JSON nested deeper than this is refused: whoever reads it may recurse. */
const maxDepth = 100

const hex = /^[0-9a-fA-F]{4}$/
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * True for one well-formed JSON text (RFC 8259). Reads it once from left to right, character by character, and builds
 * nothing: a megabyte costs the event loop a few milliseconds, whatever is in it.
 */
export function isJson(text: string): boolean {
  /** The characters that will close what is open, outermost first. */
  const open: number[] = []
  let at = skipSpace(text, 0)
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === openObject || code === openList) {
      if (open.length === maxDepth) return false
      const close = code === openObject ? closeObject : closeList
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) === close) at++
      else {
        open.push(close)
        if (close === closeObject) at = skipKey(text, at)
        if (at < 0) return false
        continue
      }
    } else at = code === quote ? skipString(text, at) : skipScalar(text, at)
    if (at < 0) return false
    at = skipSpace(text, at)
    while (open.length > 0 && text.charCodeAt(at) === open.at(-1)) {
      open.pop()
      at = skipSpace(text, at + 1)
    }
    const container = open.at(-1)
    if (container === undefined) return at === text.length
    if (text.charCodeAt(at) !== comma) return false
    at = skipSpace(text, at + 1)
    if (container === closeObject) at = skipKey(text, at)
    if (at < 0) return false
  }
}

function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
  }
}

/** A string, a colon and the space around it; like the functions below -1 where there is none. */
function skipKey(text: string, from: number): number {
  const end = skipString(text, from)
  if (end < 0) return -1
  const at = skipSpace(text, end)
  return text.charCodeAt(at) === colon ? skipSpace(text, at + 1) : -1
}

function skipString(text: string, from: number): number {
  if (text.charCodeAt(from) !== quote) return -1
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code < 0x20) return -1
    if (code !== backslash) continue
    at++
    if (text[at] === 'u') {
      if (!hex.test(text.slice(at + 1, at + 5))) return -1
      at += 4
    } else if (at >= text.length || !'"\\/bfnrt'.includes(text[at]!)) return -1
  }
  return -1
}

function skipScalar(text: string, from: number): number {
  scalar.lastIndex = from
  return scalar.test(text) ? scalar.lastIndex : -1
}
