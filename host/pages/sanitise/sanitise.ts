import { Parser } from 'htmlparser2'
import sanitizeHtml from 'sanitize-html'
import type { Place } from './addresses.ts'
import type { Effort } from './effort.ts'
import { createNesting } from './nesting.ts'
import { sanitiseOptions } from './options.ts'
import { HtmlRefused } from './refused.ts'
import { refuseLarge } from './size.ts'

const maxDepth = 100
const mostPasses = 5

/**
 * A module's HTML reduced to the allow-list. Doing it twice changes nothing. `effort` ends it between two tags; beside that
 * it runs in a process that can be ended.
 */
export function sanitise(html: string, place: Place, effort: Effort = () => {}): string {
  refuseLarge(html)
  refuseDeepNesting(html, effort)
  const options = sanitiseOptions(place)
  const allowed = new Set(options.allowedTags || [])
  let left = false
  const once = (text: string): string => {
    const nesting = createNesting()
    let isKept = true
    return sanitizeHtml(text, {
      ...options,
      onOpenTag(tag) {
        effort()
        isKept = nesting.open(tag)
        if (!isKept || !allowed.has(tag)) left = true
      },
      onCloseTag: nesting.close,
      transformTags: {
        ...options.transformTags,
        '*': (tagName, attribs) => ({ tagName: isKept ? tagName : leftOut, attribs }),
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
