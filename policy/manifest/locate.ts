/** The line (from 1) where the value at a path stands in a JSON text; the nearest parent's where it is absent. */
export function lineOfPath(text: string, path: readonly (string | number)[]): number {
  let at = skipSpace(text, 0)
  for (const key of path) {
    const next = child(text, at, key)
    if (next === undefined) break
    at = next
  }
  return text.slice(0, at).split('\n').length
}

/** `scopes[0].key` as its parts. */
export function pathParts(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) =>
    match[1] === undefined ? (match[2] ?? '') : Number(match[1]),
  )
}

function child(text: string, start: number, key: string | number): number | undefined {
  const list = text[start] === '['
  if (!list && text[start] !== '{') return undefined
  let at = skipSpace(text, start + 1)
  for (let index = 0; at < text.length && text[at] !== ']' && text[at] !== '}'; index++) {
    let name: string | number = index
    if (!list) {
      const end = skipValue(text, at)
      name = String(JSON.parse(text.slice(at, end)))
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    if (name === key) return at
    at = skipSpace(text, skipValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}

/** Past one value of a valid JSON text, however deep, without recursion. */
function skipValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') {
      at = endOfText(text, at)
      if (depth === 0) return at + 1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && ', \t\r\n'.includes(character)) return at
  }
  return text.length
}

function endOfText(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
