import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import type { Person } from './person.ts'
import { pageText } from './texts.ts'

export function launcherPage(options: {
  locale: Locale
  apps: { slug: string; displayName: string }[]
  person: Person
}): string {
  const { locale, apps, person } = options
  const list =
    apps.length > 0
      ? `<ul class="host-apps">${apps.map(card).join('')}</ul>`
      : `<p class="host-empty">${escapeHtml(pageText(locale, 'noApps'))}</p>`
  return framePage({
    locale,
    title: pageText(locale, 'apps'),
    content: `<main class="host-page"><h1>${escapeHtml(pageText(locale, 'apps'))}</h1>${list}</main>`,
    person,
  })
}

function card({ slug, displayName }: { slug: string; displayName: string }): string {
  const [initial = ''] = displayName.replace(/^(the|ال)\s*/i, '')
  return `<li><a class="host-app" href="/m/${slug}"><span class="host-initial" aria-hidden="true">${escapeHtml(initial.toUpperCase())}</span>${escapeHtml(displayName)}</a></li>`
}
