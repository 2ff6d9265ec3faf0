import { type Html, html, type RouteContext, withStatus } from '@partner/sdk'
import { type TextKey, t } from './texts.ts'

/** Where the host serves this module. */
export const base = '/m/attendance'

/** A page with its heading and the module's links. */
export function page({ locale }: RouteContext, heading: TextKey, content: unknown): Html {
  const link = (path: string, text: TextKey) => html`<a class="button" href="${base + path}">${t(locale, text)}</a> `
  return html`<main class="page">
    <h1>${t(locale, heading)}</h1>
    <nav class="toolbar">${link('', 'sections')} ${link('/absences', 'absences')} ${link('/summary', 'summary')}</nav>
    ${content}
  </main>`
}

/** Runs `handler` for the school's staff; others are told that the page is not theirs. */
export function forStaff(handler: (context: RouteContext) => unknown): (context: RouteContext) => unknown {
  return (context) => {
    if (context.viewer?.type === 'employee') return handler(context)
    return withStatus(403, page(context, 'attendance', html`<p class="notice">${t(context.locale, 'staffOnly')}</p>`))
  }
}

export const date = (day: string): Html => html`<time datetime="${day}">${day}</time>`

/** A student, told apart by the day of birth from others of the name. */
export function studentCell({ locale }: RouteContext, name: string, birthDate: string | null): Html {
  const born = birthDate && html`<br><small class="muted">${t(locale, 'born')} ${date(birthDate)}</small>`
  return html`<td><bdi>${name}</bdi>${born}</td>`
}

/** A table, or a line that says it is empty. */
export function table({ locale }: RouteContext, headings: TextKey[], rows: Html[]): Html {
  if (rows.length === 0) return html`<p class="muted">${t(locale, 'none')}</p>`
  return html`<table class="table">
    <thead><tr>${headings.map((heading) => html`<th>${t(locale, heading)}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

/** A form that asks the same page for another day. */
export function dayForm({ locale }: RouteContext, path: string, day: string): Html {
  return html`<form class="form" method="get" action="${base + path}">
    <label class="field">${t(locale, 'day')} <input type="date" name="day" value="${day}"></label>
    <button class="button">${t(locale, 'show')}</button>
  </form>`
}
