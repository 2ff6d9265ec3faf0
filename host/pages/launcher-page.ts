import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { framePage, type Frame } from './frame.ts'
import { pageText } from './texts.ts'

export function launcherPage(options: {
  locale: Locale
  apps: { slug: string; displayName: string }[]
  person: NonNullable<Frame['person']>
}): string {
  const { locale, apps, person } = options
  const cards = apps
    .map(({ slug, displayName }) => `<li><a class="host-app" href="/m/${slug}">${escapeHtml(displayName)}</a></li>`)
    .join('')
  const list =
    apps.length > 0
      ? `<ul class="host-apps">${cards}</ul>`
      : `<p class="host-muted">${escapeHtml(pageText(locale, 'noApps'))}</p>`
  return framePage({
    locale,
    title: pageText(locale, 'apps'),
    content: `<main><h1>${escapeHtml(pageText(locale, 'apps'))}</h1>${list}</main>`,
    person,
  })
}
