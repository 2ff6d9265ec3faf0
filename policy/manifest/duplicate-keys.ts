const pieces = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g

/** Keys that an object of a valid JSON text has twice, at the line of the later one: it is the one that programs take. */
export function duplicateKeys(text: string): { key: string; line: number }[] {
  const found: { key: string; line: number }[] = []
  const open: Set<string>[] = []
  let line = 1
  let counted = 0
  for (const { 0: piece, 1: colon, index } of text.matchAll(pieces)) {
    if (piece === '{' || piece === '[') open.push(new Set())
    else if (piece === '}' || piece === ']') open.pop()
    else if (colon !== undefined) {
      const key: string = JSON.parse(piece.slice(0, -colon.length))
      if (open.at(-1)?.has(key)) {
        line += text.slice(counted, index).split('\n').length - 1
        counted = index
        found.push({ key, line })
      }
      open.at(-1)?.add(key)
    }
  }
  return found
}
