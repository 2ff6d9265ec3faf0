import type { Locale } from '../../partner-services/service/errors.ts'
import { appName } from './app-name.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import type { Person } from './person.ts'
import { pageText } from './texts.ts'

type ShownApp = { slug: string; displayName: string; manifest: unknown }

export function launcherPage(options: { locale: Locale; apps: ShownApp[]; person: Person }): string {
  const { locale, apps, person } = options
  const list =
    apps.length > 0
      ? `<ul class="host-apps">${apps.map((app) => card(locale, app)).join('')}</ul>`
      : `<p class="host-empty">${escapeHtml(pageText(locale, 'noApps'))}</p>`
  return framePage({
    locale,
    title: pageText(locale, 'apps'),
    content: `<main class="host-page"><h1>${escapeHtml(pageText(locale, 'apps'))}</h1>${list}</main>`,
    person,
  })
}

function card(locale: Locale, app: ShownApp): string {
  const { slug } = app
  const name = appName(app, locale)
  const [initial = ''] = name.replace(/^(the\s+|ال)/i, '')
  return `<li><a class="host-app" href="/m/${slug}"><span class="host-initial" aria-hidden="true">${escapeHtml(initial.toUpperCase())}</span><bdi>${escapeHtml(name)}</bdi></a></li>`
}
