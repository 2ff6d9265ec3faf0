import type { Locale } from '../../partner-services/service/errors.ts'
import { formTokenField } from '../sessions/form-token.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import { pageText } from './texts.ts'

/** Why the form is shown again. `stale`: it was not served to this browser, or long ago. */
export type SignInProblem = 'wrong' | 'wait' | 'stale'

export function signInPage(options: { locale: Locale; token: string; next: string; problem?: SignInProblem }): string {
  const { locale, token, next, problem } = options
  const text = (key: Parameters<typeof pageText>[1]) => escapeHtml(pageText(locale, key))
  const content = `<main class="host-card host-sign-in"><h1>${text('signIn')}</h1>
${problem ? `<p class="host-problem" role="alert">${text(problem)}</p>` : ''}
<form method="post" action="/sign-in">
<input type="hidden" name="${formTokenField}" value="${escapeHtml(token)}"><input type="hidden" name="next" value="${escapeHtml(next)}">
<label>${text('username')}<input name="username" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>${text('password')}<input name="password" type="password" autocomplete="current-password" required></label>
<button class="host-button">${text('signIn')}</button></form></main>`
  return framePage({ locale, title: pageText(locale, 'signIn'), content })
}
