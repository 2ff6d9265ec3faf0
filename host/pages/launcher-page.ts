import type { Locale } from '../../partner-services/service/errors.ts'
import { appName } from './app-name.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import type { Person } from './person.ts'
import { pageText } from './texts.ts'

/** `entry`: the path, in the app, of the page that its card opens. */
type ShownApp = { slug: string; displayName: string; manifest: unknown; entry: string }

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
  const { slug, entry } = app
  const address = `/m/${slug}${entry === '/' ? '' : entry}`
  const name = appName(app, locale)
  const [initial = ''] = name.replace(/^(the\s+|ال)/i, '')
  return `<li><a class="host-app" href="${escapeHtml(address)}"><span class="host-initial" aria-hidden="true">${escapeHtml(initial.toUpperCase())}</span><bdi>${escapeHtml(name)}</bdi></a></li>`
}
