import type { Locale } from '../../partner-services/service/errors.ts'
import { escapeHtml } from './escape.ts'
import { framePage } from './frame.ts'
import type { Person } from './person.ts'
import { pageText, type TextKey } from './texts.ts'

/**
 * A module's page: its HTML in a region that names the app, below a bar that stays in sight. Nothing of the module is laid
 * out, painted or marked up outside `host-content`, so whatever it draws there, people see whose it is.
 */
export function modulePage(options: {
  locale: Locale
  app: string
  /** Sanitised. */
  content: string
  /** Null on mobile screens. */
  person: Person | null
}): string {
  const { locale, app, content, person } = options
  const text = (key: TextKey) => escapeHtml(pageText(locale, key))
  const name = escapeHtml(app)
  return framePage({
    locale,
    title: app,
    person,
    leadsHome: person !== null,
    strip: `<div class="host-strip"><span class="host-tag">${text('app')}</span><b><bdi>${name}</bdi></b><span class="host-note">${text('fromApp')}</span></div>`,
    content: `<section class="host-region" aria-label="${text('app')}: ${name}"><div class="host-content">${content}</div></section>`,
  })
}
