import type { Locale } from '../../partner-services/service/errors.ts'
import { appName } from '../pages/app-name.ts'
import { escapeHtml } from '../pages/escape.ts'
import { framePage } from '../pages/frame.ts'
import type { Person } from '../pages/person.ts'
import { formTokenField } from '../sessions/form-token.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { CurrentGrant } from './current-grant.ts'
import type { RequestedScope } from './requested-scopes.ts'

const texts = {
  en: {
    title: 'Install an app',
    asks: 'asks for access to the data of',
    change: 'Change what an app may see',
    changes:
      'This school has the app already. The boxes are as the school decided before; what the app asks for now for the first time is marked as new.',
    required: 'required',
    new: 'new',
    dangerous: 'Sensitive data. Approve only if you trust this app with it.',
    reason: 'Reason',
    approve: 'Approve',
    deny: 'Cancel',
  },
  ar: {
    title: 'تثبيت تطبيق',
    asks: 'يطلب الوصول إلى بيانات',
    change: 'تغيير صلاحيات تطبيق',
    changes:
      'هذا التطبيق مثبت في المدرسة. الخيارات كما قررتها المدرسة من قبل، وما يطلبه التطبيق الآن لأول مرة موسوم بأنه جديد.',
    required: 'إلزامية',
    new: 'جديدة',
    dangerous: 'بيانات حساسة. وافق فقط إذا كنت تثق بهذا التطبيق.',
    reason: 'السبب',
    approve: 'موافقة',
    deny: 'إلغاء',
  },
} as const

/**
 * What the school's administrator approves, and for which school: each scope with its reason, dangerous ones in warning style.
 * Where the school has the app, an approval of the page as it stands takes nothing back and returns nothing that was refused.
 */
export function consentPage(
  locale: Locale,
  { app, namedRedirectUri, state }: AuthorizationRequest,
  token: string,
  person: Person,
  current: CurrentGrant | null,
): string {
  const words = texts[locale]
  const title = current ? words.change : words.title
  const hidden = {
    client_id: app.clientId ?? '',
    redirect_uri: namedRedirectUri,
    state,
    response_type: 'code',
    [formTokenField]: token,
  }
  const content = `<main class="host-card host-consent"><h1>${escapeHtml(title)}</h1>
<p><strong><bdi>${escapeHtml(appName(app, locale))}</bdi></strong> ${words.asks} <strong><bdi>${escapeHtml(person.school)}</bdi></strong>:</p>
${current ? `<p class="host-muted">${escapeHtml(words.changes)}</p>` : ''}
<form method="post">${Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')}
<ul class="host-scopes">${app.scopes.map((scope) => scopeItem(locale, scope, current)).join('')}</ul>
<button class="host-button" name="decision" value="approve">${words.approve}</button>
<button class="host-button host-button-plain" name="decision" value="deny">${words.deny}</button></form></main>`
  return framePage({ locale, title, content, person })
}

function scopeItem(
  locale: Locale,
  { key, required, reason, dangerous, description }: RequestedScope,
  current: CurrentGrant | null,
): string {
  const words = texts[locale]
  const isAsked = current?.asked.includes(key) ?? false
  const isTicked = isAsked ? current?.granted.includes(key) : !dangerous
  const tags = [required && words.required, current && !isAsked && words.new].filter((tag) => typeof tag === 'string')
  const about = `aria-describedby="about-${escapeHtml(key)}"`
  const box = required
    ? `<input type="hidden" name="scopes" value="${escapeHtml(key)}"><input type="checkbox" ${about} checked disabled>`
    : `<input type="checkbox" ${about} name="scopes" value="${escapeHtml(key)}"${isTicked ? ' checked' : ''}>`
  return `<li class="${dangerous ? 'host-scope host-scope-dangerous' : 'host-scope'}"><label>${box}
<span>${escapeHtml(description[locale])}${tags.map((tag) => ` <span class="host-tag">${tag}</span>`).join('')}</span></label>
<div id="about-${escapeHtml(key)}">${dangerous ? `<p class="host-problem">${words.dangerous}</p>` : ''}
${reason ? `<p>${words.reason}: <bdi>${escapeHtml(reason)}</bdi></p>` : ''}</div><code class="host-muted" dir="ltr">${escapeHtml(key)}</code></li>`
}
