import { HtmlRefused } from './refused.ts'

/** In bytes of UTF-8. */
const maxHtmlBytes = 262_144

/** Cheap enough for the event loop: a page that is too large is not even handed to a process. */
export function refuseLarge(html: string): void {
  if (html.length > maxHtmlBytes || Buffer.byteLength(html) > maxHtmlBytes) {
    throw new HtmlRefused(`HTML is larger than ${maxHtmlBytes / 1_024} kB`)
  }
}
