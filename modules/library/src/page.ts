import { type Html, html, type RouteContext, withStatus } from '@partner/sdk'
import { type TextKey, t } from './texts.ts'

/** Where the host serves this module. */
export const base = '/m/library'

export const isLibrarian = ({ viewer }: Pick<RouteContext, 'viewer'>): boolean =>
  viewer?.type === 'employee' && viewer.roles.includes('librarian')

/** A page with its heading and the links that this viewer may follow. */
export function page(context: RouteContext, heading: TextKey, content: unknown): Html {
  const { locale, viewer } = context
  const link = (path: string, text: TextKey) => html`<a class="button" href="${base + path}">${t(locale, text)}</a> `
  return html`<main class="page">
    <h1>${t(locale, heading)}</h1>
    <nav class="toolbar">
      ${link('', 'catalogue')}
      ${viewer?.type === 'student' && link('/mine', 'mine')}
      ${isLibrarian(context) && [link('/loans', 'loans'), link('/overdue', 'overdue'), link('/books/new', 'addBook')]}
    </nav>
    ${content}
  </main>`
}

/** Runs `handler` for librarians; others are told that the page is not theirs. */
export function forLibrarians(handler: (context: RouteContext) => unknown): (context: RouteContext) => unknown {
  return (context) =>
    isLibrarian(context)
      ? handler(context)
      : withStatus(403, page(context, 'library', html`<p class="notice">${t(context.locale, 'librariansOnly')}</p>`))
}

export const date = (day: string): Html => html`<time datetime="${day}">${day}</time>`

/** A student as lists show one: several of one name are told apart by the day they were born. */
export function studentCell({ locale }: RouteContext, name: string, birthDate: string | null): Html {
  const born = birthDate && html`<br><small class="muted">${t(locale, 'born')} ${date(birthDate)}</small>`
  return html`<td><bdi>${name}</bdi>${born}</td>`
}

/** A table, or a line that says it is empty. */
export function table(context: RouteContext, headings: TextKey[], rows: Html[], empty: TextKey = 'none'): Html {
  const { locale } = context
  if (rows.length === 0) return html`<p class="muted">${t(locale, empty)}</p>`
  return html`<table class="table">
    <thead><tr>${headings.map((heading) => html`<th>${t(locale, heading)}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

export const rowsPerPage = 50

/** The page number of a query: 1 where it is missing or makes no sense. */
export function pageNumber(text: string | undefined): number {
  const number = Number(text)
  return Number.isInteger(number) && number >= 1 && number <= 10_000 ? number : 1
}

/** A link to the next page, where the list filled this one. */
export function nextLink(
  context: RouteContext,
  path: string,
  query: Record<string, string>,
  rows: number,
): Html | null {
  if (rows < rowsPerPage) return null
  const next = new URLSearchParams({ ...query, page: String(pageNumber(context.query.page) + 1) })
  return html`<p><a class="button" href="${`${base}${path}?${next}`}">${t(context.locale, 'next')}</a></p>`
}
