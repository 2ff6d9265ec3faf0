import type { Locale } from '../../partner-services/service/errors.ts'
import { formTokenField } from '../sessions/form-token.ts'
import { escapeHtml } from './escape.ts'
import type { Person } from './person.ts'
import { directionOf, pageText } from './texts.ts'

export type Frame = {
  locale: Locale
  title: string
  /** Safe HTML: the host's own, or a module's region. */
  content: string
  /** Shown in the bar; null where nobody is signed in. */
  person: Person | null
  /** Safe HTML below the bar that stays in sight with it. */
  strip?: string
  /** False on mobile screens, which lead nowhere else. */
  leadsHome?: boolean
}

/** The platform's page around whatever is shown. Its classes begin with `host-`; no module can use those. */
export function framePage({ locale, title, content, person, strip = '', leadsHome = true }: Frame): string {
  const name = `<span class="host-mark"></span>${escapeHtml(pageText(locale, 'platform'))}`
  const home = leadsHome ? `<a class="host-home" href="/">${name}</a>` : `<span class="host-home">${name}</span>`
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="stylesheet" href="/assets/host.css"></head>
<body><header class="host-top"><div class="host-bar">${home}${person ? personBar(locale, person) : ''}</div>${strip}</header>
${content}</body></html>`
}

function personBar(locale: Locale, { name, school, signOutToken }: Person): string {
  return `<span class="host-person"><b><bdi>${escapeHtml(name)}</bdi></b><span class="host-school"><bdi>${escapeHtml(school)}</bdi></span></span>
<form class="host-sign-out" method="post" action="/sign-out"><input type="hidden" name="${formTokenField}" value="${escapeHtml(signOutToken)}"><button class="host-quiet">${escapeHtml(pageText(locale, 'signOut'))}</button></form>`
}
