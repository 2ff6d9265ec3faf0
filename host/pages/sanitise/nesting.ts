/**
 * Start tags by which a browser closes what is open, whatever lies between: in `<li><div><li>` the second `li` ends the `div`
 * as well, so that the end tag written for it ends an element of the host's around the page. Of each: inside of which it
 * would do so, and what between them prevents it. Source: HTML standard, 13.2.6.4.
 */
const closing: Readonly<Record<string, { inside: ReadonlySet<string>; unless: ReadonlySet<string> }>> = {
  button: { inside: new Set(['button']), unless: new Set(['table', 'td', 'th', 'caption']) },
  li: { inside: new Set(['li']), unless: new Set(['ul', 'ol']) },
  dd: { inside: new Set(['dd', 'dt']), unless: new Set(['dl']) },
  dt: { inside: new Set(['dd', 'dt']), unless: new Set(['dl']) },
  table: { inside: new Set(['table']), unless: new Set(['td', 'th', 'caption']) },
}
const rows = new Set(['table', 'thead', 'tbody', 'tfoot'])
/** Parts of a table by what they may stand in: elsewhere a browser takes no notice of them, or ends the cell that it is in. */
const parents: Readonly<Record<string, ReadonlySet<string>>> = {
  caption: new Set(['table']),
  colgroup: new Set(['table']),
  col: new Set(['table', 'colgroup']),
  thead: new Set(['table']),
  tbody: new Set(['table']),
  tfoot: new Set(['table']),
  tr: rows,
  td: new Set(['tr', ...rows]),
  th: new Set(['tr', ...rows]),
}
/** All that a browser leaves in a list to choose from. */
const inSelect = new Set(['option', 'optgroup', 'hr'])

/** Follows the elements that are open in a page. */
export type Nesting = {
  /** Whether this start tag may stand here: if not, it is left out, and what it holds stays. */
  open(tag: string): boolean
  close(tag: string): void
}

export function createNesting(): Nesting {
  const stack: { tag: string; isKept: boolean }[] = []
  let selects = 0
  function mayStand(tag: string): boolean {
    if (selects > 0) return inSelect.has(tag)
    const wanted = parents[tag]
    if (wanted) return wanted.has(stack.findLast(({ isKept }) => isKept)?.tag ?? '')
    const rule = closing[tag]
    if (rule === undefined) return true
    for (let at = stack.length - 1; at >= 0; at--) {
      const { tag: outer, isKept } = stack[at]!
      if (!isKept) continue
      if (rule.inside.has(outer)) return false
      if (rule.unless.has(outer)) return true
    }
    return true
  }
  return {
    open(tag) {
      const isKept = mayStand(tag)
      stack.push({ tag, isKept })
      if (isKept && tag === 'select') selects++
      return isKept
    },
    close(tag) {
      if (stack.at(-1)?.tag !== tag) return
      if (stack.pop()!.isKept && tag === 'select') selects--
    },
  }
}
