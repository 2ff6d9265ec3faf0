import type { ModuleAnswer, ModuleCall, ModuleCalls } from '../../host/embedded-apps/module-calls.ts'
import { hashPassword } from '../../host/security/password.ts'
import { ulid } from 'ulid'
import type { TestDatabase } from '../support/database.ts'
import type { School } from '../support/school.ts'
import type { TestWeb } from '../support/web.ts'

/** Stands in for a guest: answers with the text that a test sets, and keeps what it was asked. */
export function scriptedGuest(): ModuleCalls & {
  answer: string | Partial<ModuleAnswer>
  asked: ModuleCall[]
  /** What its log was told of its answers. */
  reported: string[]
} {
  const guest = {
    answer: 'h200\n<main><h1>ok</h1></main>' as string | Partial<ModuleAnswer>,
    asked: [] as ModuleCall[],
    reported: [] as string[],
    async call(request: ModuleCall): Promise<ModuleAnswer> {
      guest.asked.push(request)
      const report = (problem: string, message: string) => void guest.reported.push(`${problem}: ${message}`)
      const base = { invocationId: ulid(), cpuMs: 0, serviceCalls: 0, report }
      return (
        typeof guest.answer === 'string' ? { ...base, ok: true, text: guest.answer } : { ...base, ...guest.answer }
      ) as ModuleAnswer
    },
  }
  return guest
}

export type Person = { username: string; password: string; personId: string }

/** Someone of the school who can sign in. */
export async function createPerson(
  { admin }: TestDatabase,
  school: School,
  options: {
    type?: 'employee' | 'student' | 'guardian' | 'supervisor'
    roles?: string[]
    administrator?: boolean
  } = {},
): Promise<Person> {
  const { type = 'employee', roles = ['teacher'], administrator = false } = options
  const [personId, username, password] = [ulid(), `user_${ulid().toLowerCase()}`, 'correct horse']
  if (type === 'employee') {
    await admin.query('insert into core.employees (tenant_id, id, full_name, roles) values ($1, $2, $3, $4)', [
      school.id,
      personId,
      'Mona',
      roles,
    ])
  }
  await admin.query(
    `insert into core.accounts (tenant_id, id, username, password_hash, person_type, person_id, display_name, administrator)
      values ($1, $2, $3, $4, $5, $6, 'Mona', $7)`,
    [
      school.id,
      ulid(),
      username,
      await hashPassword(password),
      type,
      type === 'supervisor' ? null : personId,
      administrator,
    ],
  )
  return { username, password, personId }
}

/** An embedded app that the school installed; its code is never loaded by these tests. */
export async function installModule(
  { admin }: TestDatabase,
  school: School,
  slug: string,
  manifest: object = {},
  contributions: object = { routes: [{ method: 'GET', path: '/', name: 'index' }] },
): Promise<void> {
  const [appId, versionId] = [ulid(), ulid()]
  await admin.query(
    `insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, 'embedded', $3)`,
    [appId, slug, `The ${slug}`],
  )
  await admin.query(`insert into core.app_bundles (hash, code) values ($1, '') on conflict do nothing`, [slug])
  await admin.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, bundle_hash, contributions) values ($1, $2, '1', 'published', $3, $4, $5)`,
    [versionId, appId, JSON.stringify(manifest), slug, JSON.stringify(contributions)],
  )
  await admin.query(
    `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited) values ($1, $2, $3, $4, '{}', false)`,
    [school.id, ulid(), appId, versionId],
  )
}

export type Browser = {
  get(path: string, headers?: Record<string, string>): Promise<Page>
  post(path: string, fields: Record<string, string> | URLSearchParams, headers?: Record<string, string>): Promise<Page>
  cookie: string
}
export type Page = { status: number; headers: Headers; text: string; location: string | null }

/** A browser without a window: keeps its cookies, follows nothing. */
export function browse(web: Pick<TestWeb, 'url'>): Browser {
  const jar = new Map<string, string>()
  const browser: Browser = {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    set cookie(text) {
      jar.clear()
      for (const pair of text.split('; ')) keep(pair)
    },
    get: (path, headers) => send(path, { method: 'GET', headers: headers ?? {} }),
    post: (path, fields, headers) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
  }
  function keep(pair: string): void {
    const [name = '', value = ''] = pair.split('=', 2)
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  async function send(
    path: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Page> {
    const headers = { ...init.headers, ...(browser.cookie ? { cookie: browser.cookie } : {}) }
    const response = await fetch(web.url + path, { ...init, headers, redirect: 'manual' })
    for (const set of response.headers.getSetCookie()) keep(set.split(';', 1)[0]!)
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    }
  }
  return browser
}

/** The host's token in the first form of a page. */
export const tokenIn = (page: string): string => /name="_token" value="([^"]+)"/.exec(page)?.[1] ?? ''

export async function signIn(browser: Browser, { username, password }: Person): Promise<Page> {
  const form = await browser.get('/sign-in')
  return browser.post('/sign-in', { username, password, _token: tokenIn(form.text) })
}
