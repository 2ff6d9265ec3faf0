import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { directionOf, pageText } from './texts.ts'

export type Frame = {
  locale: Locale
  title: string
  /** Safe HTML: the host's own, or sanitised. */
  content: string
  /** Shown in the bar; absent where nobody is signed in. */
  person?: { name: string; school: string; signOutToken: string }
}

/** The platform's page around whatever is shown. Its classes begin with `host-`; no module can use those. */
export function framePage({ locale, title, content, person }: Frame): string {
  const bar = person
    ? `<span class="host-school">${escapeHtml(person.school)}</span><span class="host-person">${escapeHtml(person.name)}</span>
<form class="host-sign-out" method="post" action="/sign-out"><input type="hidden" name="_token" value="${escapeHtml(person.signOutToken)}"><button class="host-link">${pageText(locale, 'signOut')}</button></form>`
    : ''
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="stylesheet" href="/assets/host.css"></head>
<body><header class="host-bar"><a class="host-home" href="/">${pageText(locale, 'platform')}</a>${bar}</header>
<div class="host-content">${content}</div></body></html>`
}
