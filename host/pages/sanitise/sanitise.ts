import { Parser } from 'htmlparser2'
import sanitizeHtml, { type Transformer } from 'sanitize-html'
import type { Place } from './addresses.ts'
import type { Effort } from './effort.ts'
import { createNesting } from './nesting.ts'
import { sanitiseOptions } from './options.ts'
import type { OnRemoved } from './removed-address.ts'
import { HtmlRefused } from './refused.ts'
import { refuseLarge } from './size.ts'

const maxDepth = 100
const mostPasses = 5

/**
 * A module's HTML reduced to the allow-list. Doing it twice changes nothing. `effort` ends it between two tags; beside that
 * it runs in a process that can be ended.
 */
export function sanitise(
  html: string,
  place: Place,
  effort: Effort = () => {},
  onRemoved: OnRemoved = () => {},
): string {
  refuseLarge(html)
  refuseDeepNesting(html, effort)
  const options = sanitiseOptions(place, onRemoved)
  const allowed = new Set(options.allowedTags || [])
  const renamed = Object.fromEntries([...allowed].map((tag) => [tag, underNoName(options.transformTags?.[tag])]))
  let left = false
  const once = (text: string): string => {
    const nesting = createNesting()
    let opened = ''
    let isKept = true
    return sanitizeHtml(text, {
      ...options,
      onOpenTag(tag) {
        effort()
        opened = tag
        isKept = nesting.open(tag)
        if (!isKept || !allowed.has(tag)) left = true
      },
      onCloseTag: nesting.close,
      transformTags: {
        ...renamed,
        '*': (_, attribs) => ({ tagName: isKept ? opened : leftOut, attribs }),
      },
    })
  }
  let clean = once(html)
  // A removed element leaves its children in its parent, where they may nest as no parser nests them (`<p><p>`).
  for (let pass = 0; left; pass++) {
    if (pass === mostPasses) throw new HtmlRefused('HTML is nested in a way that no browser keeps')
    left = false
    clean = once(clean)
  }
  return clean
}

/** No element's name: it is removed like all that are not allowed. */
const leftOut = 'left-out'

/**
 * The transformation of one allowed tag, under that name: the next gives each that is kept its own name back. sanitize-html
 * holds a new name by the element's depth until an element with it is closed, and would write the name of one that was left
 * out into the end tag of the next at its depth.
 */
function underNoName(transform: string | Transformer = (tagName, attribs) => ({ tagName, attribs })): Transformer {
  if (typeof transform === 'string') throw new TypeError('no tag is allowed under another name')
  return (tagName, attribs) => ({ ...transform(tagName, attribs), tagName: leftOut })
}

function refuseDeepNesting(html: string, effort: Effort): void {
  let depth = 0
  const parser = new Parser({
    onopentag() {
      effort()
      if (++depth > maxDepth) throw new HtmlRefused(`HTML is nested deeper than ${maxDepth} elements`)
    },
    onclosetag() {
      depth--
    },
  })
  parser.end(html)
}
