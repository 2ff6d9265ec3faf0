import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import type { Person } from './person.ts'
import { pageText, type TextKey } from './texts.ts'

/** What happened and what to do about it, by status; every other status is a failure of the app's or the platform's. */
const texts: Record<number, [title: TextKey, advice: TextKey]> = {
  400: ['refused', 'askForAddress'],
  401: ['signedOut', 'signInAgain'],
  403: ['notAllowed', 'askAdministrator'],
  404: ['notFound', 'checkAddress'],
  405: ['notFound', 'checkAddress'],
  409: ['refused', 'tryOther'],
  413: ['refused', 'tryOther'],
  419: ['expired', 'openAgain'],
  422: ['refused', 'tryOther'],
  503: ['paused', 'tryLater'],
}

/** What a user sees of a failure: a plain page and the number to quote. Nothing of the host, nothing of the module. */
export function errorPage(options: {
  locale: Locale
  status: number
  person: Person | null
  invocationId?: string
  /** A mobile screen: nothing leads out of it. */
  mobile?: boolean
}): string {
  const { locale, status, invocationId, person, mobile = false } = options
  const text = (key: TextKey) => escapeHtml(pageText(locale, key))
  const [title, advice] = texts[status] ?? ['failed', 'tryLater']
  const quote = invocationId
    ? `<p class="host-muted">${text('quote')}<code class="host-code" dir="ltr">${escapeHtml(invocationId)}</code></p>`
    : ''
  const back = mobile ? '' : `<a class="host-button" href="/">${text('back')}</a>`
  return framePage({
    locale,
    title: pageText(locale, title),
    person,
    leadsHome: !mobile,
    content: `<main class="host-card"><span class="host-status" dir="ltr">${status}</span><h1>${text(title)}</h1><p>${text(advice)}</p>${quote}${back}</main>`,
  })
}
