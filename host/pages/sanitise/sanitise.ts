import { Parser } from 'htmlparser2'
import sanitizeHtml from 'sanitize-html'
import type { Place } from './addresses.ts'
import type { Effort } from './effort.ts'
import { sanitiseOptions } from './options.ts'
import { HtmlRefused } from './refused.ts'
import { refuseLarge } from './size.ts'

const maxDepth = 100

/**
 * A module's HTML reduced to the allow-list. Doing it twice changes nothing. `effort` ends it between two tags; beside that
 * it runs in a process that can be ended.
 */
export function sanitise(html: string, place: Place, effort: Effort = () => {}): string {
  refuseLarge(html)
  refuseDeepNesting(html, effort)
  const options = sanitiseOptions(place)
  const allowed = new Set(options.allowedTags || [])
  let unwrapped = false
  const onOpenTag = (tag: string): void => {
    effort()
    if (!allowed.has(tag)) unwrapped = true
  }
  const clean = sanitizeHtml(html, { ...options, onOpenTag })
  // A removed element leaves its children in its parent, where they may nest as no parser nests them (`<p><p>`).
  return unwrapped ? sanitizeHtml(clean, { ...options, onOpenTag: effort }) : clean
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
