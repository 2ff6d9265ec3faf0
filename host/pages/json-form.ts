/** JSON nested deeper than this is refused: whoever reads it may recurse. */
const maxDepth = 100

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** True for one well-formed JSON text (RFC 8259). Reads it once from left to right and builds nothing. */
export function isJson(text: string): boolean {
  const open: ('{' | '[')[] = []
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  const key = () => take(string) && take(space) && text[at] === ':' && ++at > 0 && take(space)

  take(space)
  for (;;) {
    const character = text[at]
    if (character === '{' || character === '[') {
      if (open.length === maxDepth) return false
      at++
      take(space)
      if (text[at] === (character === '{' ? '}' : ']')) at++
      else {
        open.push(character)
        if (character === '{' && !key()) return false
        continue
      }
    } else if (!take(character === '"' ? string : scalar)) return false
    for (;;) {
      take(space)
      const container = open.at(-1)
      if (container === undefined) return at === text.length
      if (text[at] === ',') {
        at++
        take(space)
        if (container === '{' && !key()) return false
        break
      }
      if (text[at] !== (container === '{' ? '}' : ']')) return false
      at++
      open.pop()
    }
  }
}
