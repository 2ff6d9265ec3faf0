import { ulid } from 'ulid'
import { issueAppCredentials } from '../../host/installations/app-credentials.ts'
import type { Receiver } from '../events/receiver.ts'
import { cipher } from '../events/support.ts'
import { type Kind, kinds, shapes, type Tenant } from './resources.ts'
import type { World } from './world.ts'

export type Version = {
  id: string
  name: string
  scopes: { key: string; required: boolean }[]
  events: string[]
  /** False once it was taken back. */
  published: boolean
  publishedAt: number
}

export type App = {
  id: string
  slug: string
  embedded: boolean
  /** Whether it gets its tokens in exchange for a code. */
  redirects: boolean
  versions: Version[]
  client: { id: string; secret: string }
  receiver: Receiver | null
  /** Whether its receiver answers 500. */
  broken: boolean
  /** Since when every attempt failed, and the last of them; null after one that did not. */
  failing: { since: number; last: number } | null
  /** Of what its receiver got, so much was compared. */
  compared: number
}

export type Token = { text: string; endsAt: number }
export type StoredAnswer = { request: string; status: number; body: unknown; at: number }

export type Installation = {
  id: string
  tenant: Tenant
  app: App
  version: Version
  granted: string[]
  state: 'active' | 'uninstalled' | 'erased'
  uninstalledAt: number
  tokens: Token[]
  /** Answers by idempotency key. */
  answers: Map<string, StoredAnswer>
  /** Requests of the calendar minute. */
  minute: number
  used: number
  consents: { at: number; version: Version; scopes: string[] }[]
}

export type Delivery = {
  installation: Installation
  event: string
  recordId: string
  data: unknown
  at: number
  state: 'pending' | 'delivered' | 'retrying' | 'terminal'
  attempts: number
  replays: number
  dueAt: number | null
}

/** What must be true of a few schools and apps in a world. */
export type Model = {
  world: World
  tenants: Tenant[]
  apps: App[]
  installations: Installation[]
  deliveries: Delivery[]
  /** The access log, a line for each entry. */
  log: string[]
}

/** Two live schools and a sandbox, without any app. */
export async function createModel(world: World): Promise<Model> {
  const tenants = [await world.createTenant(false), await world.createTenant(false), await world.createTenant(true)]
  return { world, tenants, apps: [], installations: [], deliveries: [], log: [] }
}

export const nowOf = ({ world }: Model): number => world.clock.now().getTime()
export const readScope = (kind: Kind) => `${shapes[kind].name}.read`
export const writeScope = (kind: Kind) => `${shapes[kind].name}.write`
export const everyScope = kinds.flatMap((kind) => [readScope(kind), writeScope(kind)])
export const everyEvent = kinds.flatMap((kind) => [`${shapes[kind].name}.created`, `${shapes[kind].name}.updated`])

/** The versions that schools may get, the newest first. */
export const publishedOf = ({ versions }: App): Version[] => versions.filter(({ published }) => published).toReversed()
export const asks = ({ scopes }: Version): string[] => scopes.map(({ key }) => key)
export const requires = ({ scopes }: Version): string[] =>
  scopes.filter(({ required }) => required).map(({ key }) => key)
export const holds = (granted: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((key) => granted.includes(key))

/** An app without a version. */
export async function createApp(model: Model, kind: Pick<App, 'embedded' | 'redirects'>): Promise<App> {
  const { world } = model
  const { admin } = world.database
  const id = ulid()
  const slug = `app_${id.toLowerCase()}`
  await admin.query(`insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, $3, 'App')`, [
    ...[id, slug],
    kind.embedded ? 'embedded' : 'external',
  ])
  if (kind.embedded) await admin.query(`insert into core.app_bundles (hash, code) values ($1, '')`, [slug])
  const made = await issueAppCredentials(world.system, cipher, id)
  const app: App = {
    ...{ id, slug, ...kind, versions: [], client: { id: made.client_id, secret: made.client_secret } },
    ...{ receiver: null, broken: false, failing: null, compared: 0 },
  }
  if (!kind.embedded)
    app.receiver = await world.startReceiver(made.webhook_secret, (_, response) =>
      response.writeHead(app.broken ? 500 : 200).end(),
    )
  model.apps.push(app)
  return app
}
