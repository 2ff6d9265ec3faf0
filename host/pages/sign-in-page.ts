import type { Locale } from '../../partner-services/service/errors.ts'
import { formTokenField } from '../sessions/form-token.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import { pageText, type TextKey } from './texts.ts'

/** Why the form is shown again. `stale`: it was not served to this browser, or long ago. */
export type SignInProblem = 'wrong' | 'wait' | 'stale'

export function signInPage(options: {
  locale: Locale
  token: string
  next: string
  problem?: SignInProblem
  /** The user name as it was sent; a password is typed again. */
  typed?: string
}): string {
  const { locale, token, next, problem, typed = '' } = options
  const text = (key: TextKey) => escapeHtml(pageText(locale, key))
  const described = problem ? ` aria-invalid="${problem === 'wrong'}" aria-describedby="problem"` : ''
  const [first, second] = typed === '' ? [' autofocus', ''] : ['', ' autofocus']
  const content = `<main class="host-card host-sign-in"><h1>${text('signIn')}</h1><p class="host-muted">${text('signInHint')}</p>
${problem ? `<p class="host-problem" id="problem" role="alert">${text(problem)}</p>` : ''}
<form method="post" action="/sign-in">
<input type="hidden" name="${formTokenField}" value="${escapeHtml(token)}"><input type="hidden" name="next" value="${escapeHtml(next)}">
<label>${text('username')}<input class="host-input" name="username" dir="ltr" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200" value="${escapeHtml(typed)}" required${first}${described}></label>
<label>${text('password')}<input class="host-input" name="password" dir="ltr" type="password" autocomplete="current-password" required${second}${described}></label>
<button class="host-button">${text('signIn')}</button></form></main>`
  return framePage({ locale, title: pageText(locale, 'signIn'), content, person: null })
}
