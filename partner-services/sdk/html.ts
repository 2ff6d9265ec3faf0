import { type Hole, holesOf } from './html-holes.ts'

/** Text that is HTML already: what the `html` tag makes. */
export class Html {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

const analysed = new WeakMap<TemplateStringsArray, Hole[]>()

/**
 * Writes HTML. Every `${}` is escaped; nested `html` and arrays of it are spliced in; `null`, `undefined` and `false` write
 * nothing, so `${late && html`<b>late</b>`}` works. An attribute whose whole value is `true` or `false` is there or not:
 * `<option selected="${isCurrent}">`. Places where no escaping is safe (tag and attribute names, values
 * without quotes, `<script>`, `<style>`, `on…` and `style` attributes) take no `${}`: they throw.
 *
 * ```ts
 * return html`<h1>${title}</h1><ul>${books.map((book) => html`<li>${book.title}</li>`)}</ul>`
 * ```
 */
export function html(template: TemplateStringsArray, ...values: unknown[]): Html {
  if (!Array.isArray(template) || !Object.hasOwn(template, 'raw')) throw new TypeError('html is a template tag')
  let holes = analysed.get(template)
  if (!holes) {
    holes = holesOf(template)
    analysed.set(template, holes)
  }
  let text = template[0]!
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    const next = template[index + 1]!
    if (holes[index] === 'text') text += inText(value) + next
    else if (isSwitch(value) && isWhole(template[index]!, next)) text = switched(text, value) + next.slice(1)
    else text += inAttribute(value, holes[index] === 'url') + next
  }
  return new Html(text)
}

const attributeStart = /\s[^\s"'<>=/]+=["']$/

const isSwitch = (value: unknown) => typeof value === 'boolean' || value === null || value === undefined

/** A hole that is an attribute's whole value. */
const isWhole = (before: string, after: string) => attributeStart.test(before) && after[0] === before.at(-1)

/** `true` writes the attribute without a value; `false`, `null` and `undefined` leave it out. */
const switched = (text: string, value: unknown) =>
  value === true ? text.slice(0, -2) : text.replace(attributeStart, '')

function inText(value: unknown): string {
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(inText).join('')
  return escapeHtml(plain(value))
}

function inAttribute(value: unknown, isUrl: boolean): string {
  const text = plain(value)
  return escapeHtml(isUrl && !isSafeUrl(text) ? '#' : text)
}

function plain(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Promise) throw new TypeError('html cannot show a Promise: await it')
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(
      `html cannot show ${value instanceof Html ? 'html in an attribute' : `a value of type ${typeof value}`}`,
    )
  }
  return String(value)
}

/** As the host keeps them; it removes one that is no image's address. Source: decisions.md, pages and origins. */
const dataImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/

/**
 * A relative reference, a scheme that runs nothing, or an image. Control characters and spaces hide schemes from naive
 * readers.
 */
function isSafeUrl(text: string): boolean {
  if (dataImage.test(text)) return true
  const scheme = /^([^/?#:]*):/.exec(text.replace(/[\u0000-\u0020]/g, ''))?.[1]
  return scheme === undefined || /^(https?|mailto|tel)$/i.test(scheme)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => escapes[character]!) : text
}
