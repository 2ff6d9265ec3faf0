import type { ModuleAnswer } from '../embedded-apps/module-calls.ts'
import { type GuestPage, readGuestAnswer } from './guest-answer.ts'
import { isJson } from './json-form.ts'
import { ownPath, type Place } from './sanitise/addresses.ts'
import { HtmlRefused } from './sanitise/refused.ts'
import type { Sanitiser } from './sanitise/sanitiser.ts'

/** An answer that can be sent as it is: its HTML is safe, its JSON is JSON, and its redirect leads to `target`, in the app. */
export type JudgedAnswer = Exclude<GuestPage, { kind: 'redirect' }> | Redirect | { kind: 'unusable' }
type Redirect = { kind: 'redirect'; path: string; target: string }

type Answered = ModuleAnswer & { ok: true }
/** Where the answer is to be shown, and in whose turn its HTML is made safe. */
type ShownAt = Place & { tenantId: string }

/** Judges what a module's route answered, for every door, and tells its log what is wrong or was taken out. */
export async function judgeAnswer(sanitiser: Sanitiser, at: ShownAt, answered: Answered): Promise<JudgedAnswer> {
  const page = readGuestAnswer(answered)
  if (page?.kind === 'not_found') return page
  if (page?.kind === 'redirect') return judgeRedirect(at, page.path, answered)
  if (page?.kind === 'html') return makeSafe(sanitiser, at, page, answered)
  if (page?.kind === 'json' && isJson(page.json)) return page
  if (page?.kind === 'longJson') {
    // Byte by byte is enough: outside of its strings JSON is ASCII.
    if (isJson(page.lent.bytes.toString('latin1', page.start))) return page
    page.lent.release()
  }
  return unusable(answered, 'it is neither HTML nor JSON')
}

function unusable({ report }: Answered, reason: string): JudgedAnswer {
  report('unusable_answer', reason)
  return { kind: 'unusable' }
}

function judgeRedirect(at: Place, path: string, answered: Answered): JudgedAnswer {
  const root = `/m/${at.slug}`
  if (`${path.split(/[?#]/, 1)[0]}/`.startsWith(`${root}/`))
    return unusable(answered, `it redirects below "${root}${root}": a redirect is written without "${root}"`)
  const inModule = /^\/(?![/\\])/.test(path) ? `${root}${path}` : undefined
  const target = ownPath(inModule, at)
  return target === null ? unusable(answered, 'it redirects out of the app') : { kind: 'redirect', path, target }
}

const script = /<script\b/i

async function makeSafe(
  sanitiser: Sanitiser,
  { tenantId, slug, mobile, url }: ShownAt,
  page: GuestPage & { kind: 'html' },
  answered: Answered,
): Promise<JudgedAnswer> {
  if (script.test(page.html)) answered.report('scripts_removed', 'a page runs no scripts: the host took them out')
  try {
    const { html, removed } = await sanitiser.clean(tenantId, { html: page.html, slug, mobile, url })
    if (removed !== null) answered.report('address_removed', removed)
    return { ...page, html }
  } catch (error) {
    if (!(error instanceof HtmlRefused)) throw error
    return unusable(answered, error.message)
  }
}
