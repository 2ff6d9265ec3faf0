import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { framePage, type Frame } from './frame.ts'
import { pageText } from './texts.ts'

const titles: Record<number, Parameters<typeof pageText>[1]> = {
  401: 'expired',
  403: 'notAllowed',
  404: 'notFound',
  409: 'refused',
  419: 'expired',
  422: 'refused',
  503: 'paused',
}

/** What a user sees of a failure: a plain page and the number to quote. Nothing of the host, nothing of the module. */
export function errorPage(options: {
  locale: Locale
  status: number
  invocationId?: string
  person?: Frame['person']
}): string {
  const { locale, status, invocationId, person } = options
  const title = pageText(locale, titles[status] ?? 'failed')
  const quote = invocationId
    ? `<p class="host-muted">${escapeHtml(pageText(locale, 'quote'))}: <code>${escapeHtml(invocationId)}</code></p>`
    : ''
  const content = `<main class="host-card"><h1>${escapeHtml(title)}</h1>${quote}<p><a class="host-link" href="/">${escapeHtml(pageText(locale, 'back'))}</a></p></main>`
  return framePage({ locale, title, content, ...(person ? { person } : {}) })
}
