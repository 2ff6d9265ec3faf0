import { Parser } from 'htmlparser2'
import sanitizeHtml from 'sanitize-html'
import { sanitiseOptions } from './options.ts'
import { HtmlRefused } from './refused.ts'

export const maxHtmlLength = 262_144
export const maxDepth = 100

/**
 * A module's HTML reduced to the allow-list. Runs in a worker that can be ended. Every form that posts gets the place
 * where the host puts its token.
 */
export function sanitise(html: string, slug: string): string {
  if (html.length > maxHtmlLength) throw new HtmlRefused(`HTML is larger than ${maxHtmlLength / 1_024} kB`)
  refuseDeepNesting(html)
  return sanitizeHtml(html, sanitiseOptions(slug))
}

function refuseDeepNesting(html: string): void {
  let depth = 0
  const parser = new Parser({
    onopentag() {
      if (++depth > maxDepth) throw new HtmlRefused(`HTML is nested deeper than ${maxDepth} elements`)
    },
    onclosetag() {
      depth--
    },
  })
  parser.end(html)
}
