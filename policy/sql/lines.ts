/** The parser counts bytes; people count lines. One instance serves one text. */
export type LineIndex = { lineAt(byte: number): number; slice(from: number, to: number | undefined): string }

export function createLineIndex(text: string): LineIndex {
  const bytes = Buffer.from(text)
  const whole = bytes.length === text.length
  let starts: number[] | undefined
  return {
    lineAt(byte) {
      starts ??= lineStarts(bytes)
      return countUpTo(starts, byte)
    },
    slice(from, to) {
      return whole ? text.slice(from, to) : bytes.subarray(from, to).toString()
    },
  }
}

function lineStarts(bytes: Buffer): number[] {
  const starts = [0]
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
  return starts
}

/** How many starts lie at or before the byte: its line, counted from 1. */
function countUpTo(starts: number[], byte: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= byte) low = middle + 1
    else high = middle
  }
  return low
}

/** Length in bytes of the spaces and comments before a statement's first word (the parser counts them as its own). */
export function leadingBlank(text: string): number {
  const blank = /^(?:\s|--[^\n]*)+/
  let rest = text
  for (;;) {
    const plain = blank.exec(rest)?.[0].length ?? 0
    rest = rest.slice(plain)
    if (!rest.startsWith('/*')) return Buffer.byteLength(text) - Buffer.byteLength(rest)
    rest = rest.slice(commentLength(rest))
  }
}

/** PostgreSQL's block comments nest. */
function commentLength(text: string): number {
  const mark = /\/\*|\*\//g
  let depth = 0
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return text.length
}
