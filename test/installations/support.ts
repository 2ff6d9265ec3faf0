import type { FastifyRequest } from 'fastify'
import { ulid } from 'ulid'
import { eventDefinitions } from '../../partner-services/description/events.ts'
import { registerPartnerPortal } from '../../host/installations/partner-portal.ts'
import { type AppCredentials, issueAppCredentials } from '../../host/installations/app-credentials.ts'
import { listInstallations } from '../../host/installations/list-installations.ts'
import type { InstallationContext } from '../../host/installations/install.ts'
import { type OAuthContext, registerOAuth } from '../../host/installations/oauth-routes.ts'
import { registerSchoolInstallations } from '../../host/installations/school-routes.ts'
import { moveInstallations } from '../../host/lifecycle/move-installations.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { cipher, type Platform, startPlatform } from '../events/support.ts'
import type { School } from '../support/school.ts'

const csrfSecret = Buffer.alloc(32, 3)

export type Portal = Platform & {
  context: InstallationContext
  /** A request of the school's administrator, or of whoever the headers name. */
  call(path: string, options?: CallOptions): Promise<Answer>
}

type CallOptions = {
  method?: string
  as?: string
  partner?: string
  form?: Record<string, string | string[]>
  json?: unknown
  headers?: Record<string, string>
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
type Answer = { status: number; headers: Headers; text: string; body: any }

/** A platform with the doors of partners and administrators. The tests' own headers say who is signed in. */
export async function startPortal(clock: () => Date): Promise<Portal> {
  let context!: OAuthContext
  const platform = await startPlatform(clock, (server, { system }) => {
    const requireAdministrator = async ({ headers }: FastifyRequest) => {
      if (typeof headers['x-test-school'] !== 'string') throw new ServiceError('unauthenticated')
      const person = { name: 'لطيفة', school: 'مدرسة النور', signOutToken: 'token' }
      return { tenantId: headers['x-test-school'], accountId: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C', csrfSecret, person }
    }
    const requirePartner = async ({ headers }: FastifyRequest) => {
      if (typeof headers['x-test-partner'] !== 'string') throw new ServiceError('unauthenticated')
      return { partnerId: headers['x-test-partner'] }
    }
    context = {
      system,
      cipher,
      clock,
      grantsChanged: async () => {},
      deliveriesStopped: async () => {},
      applyTenantData: async () => {},
      rowsFollow: () => {},
      requireAdministrator,
      refusedPerson: async () => null,
    }
    registerOAuth(server, context)
    registerSchoolInstallations(server, context, '/partners')
    registerPartnerPortal(server, {
      ...{ system, cipher, clock, requirePartner, partnersPath: '/partners', wake: () => {} },
      events: eventDefinitions(),
      rotateToken: async () => 'pit_live_rotated',
    })
  })
  return {
    ...platform,
    context,
    async call(path, { method = 'GET', as, partner, form, json, headers = {} } = {}) {
      const body = form ? encode(form) : json === undefined ? undefined : JSON.stringify(json)
      const response = await fetch(platform.url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(as ? { 'x-test-school': as } : {}),
          ...(partner ? { 'x-test-partner': partner } : {}),
          ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
    },
  }
}

function encode(form: Record<string, string | string[]>): URLSearchParams {
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs)
}

export type TestApp = { id: string; slug: string; credentials: AppCredentials }
type Scope = { key: string; required?: boolean; reason?: string }

/** A published app. */
export async function publishApp(
  { database, system }: Pick<Platform, 'database' | 'system'>,
  options: { redirectUrls?: string[]; scopes?: Scope[]; type?: string; partnerId?: string } = {},
): Promise<TestApp> {
  const id = ulid()
  const slug = `app_${id.toLowerCase()}`
  if (options.partnerId) {
    const partner = `insert into core.partners (id, name) values ($1, 'P') on conflict do nothing`
    await database.admin.query(partner, [options.partnerId])
  }
  await database.admin.query(
    `insert into core.apps (id, slug, integration_type, display_name, redirect_urls, partner_id) values ($1, $2, $3, 'Registrar', $4, $5)`,
    [id, slug, options.type ?? 'external', options.redirectUrls ?? [], options.partnerId ?? null],
  )
  await publishVersion({ database }, id, '1.0.0', options.scopes ?? standardScopes)
  return { id, slug, credentials: await issueAppCredentials(system, cipher, id) }
}

export const standardScopes: Scope[] = [
  { key: 'education.students.read', required: true, reason: 'Mirrors students' },
  { key: 'education.students.write', required: false, reason: 'Sends corrections' },
  { key: 'education.face_embeddings.read', required: false, reason: 'Opens <gates>' },
]

/** A version that schools may get from now on. Answers how many installations moved to it at once. */
export async function publishVersion(
  { database }: Pick<Platform, 'database'>,
  appId: string,
  version: string,
  scopes: Scope[],
): Promise<number> {
  const id = ulid()
  await database.admin.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, published_at) values ($1, $2, $3, 'published', $4, clock_timestamp())`,
    [id, appId, version, { displayName: 'Registrar', scopes }],
  )
  return moveInstallations(database.admin, { id: appId }, { id, manifest: { scopes } })
}

/** The school's record of an installation as its administrator sees it. */
export const installationOf = async (portal: Portal, school: School, id: string) =>
  (await listInstallations(portal.system, school.id)).find((one) => one.id === id)!

/** What a browser of the school's administrator sends with a change. */
export async function formTokenFor(portal: Portal, school: School): Promise<string> {
  return (await portal.call('/partners/api/school/installations', { as: school.id })).body.form_token
}

/** Every table of the platform in which any column of any row holds the text. */
export async function tablesThatMention(portal: Portal, text: string): Promise<string[]> {
  const { rows } = await portal.database.admin.query<{ table: string }>(
    `select table_name as table from information_schema.tables where table_schema = 'core' and table_type = 'BASE TABLE' order by 1`,
  )
  const found: string[] = []
  for (const { table } of rows) {
    const { rowCount } = await portal.database.admin.query(
      `select from core.${table} t where position($1 in t::text) > 0 limit 1`,
      [text],
    )
    if (rowCount) found.push(table)
  }
  return found
}
