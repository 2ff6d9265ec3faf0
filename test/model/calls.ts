import assert from 'node:assert/strict'
import { currentCaller } from '../../host/embedded-apps/current-caller.ts'
import { createServiceBridge } from '../../host/embedded-apps/service-bridge.ts'
import { requestsPerMinute } from '../../host/http/runtime-api.ts'
import type { ModuleDatabase } from '../../host/module-database/module-database.ts'
import type { Random } from '../../host/seeds/random.ts'
import { operations } from '../../partner-services/registry.ts'
import { type Fields, type Kind, shapes } from './resources.ts'
import * as state from './state.ts'
import type { Installation, Model } from './state.ts'
import type { Answer } from './world.ts'

export type Verb = 'create' | 'update' | 'get' | 'list'
export type Wanted = { kind: Kind; verb: Verb; args: Fields; key?: string | undefined }
export type Reply = Pick<Answer, 'status' | 'body'> & {
  replayed: boolean
  /** What an idempotency key stands for; null at the door that takes none. */
  request: string | null
}

const byName = new Map(operations.map((operation) => [operation.name, operation]))
const methods = { create: 'POST', update: 'PATCH', get: 'GET', list: 'GET' } as const
const report = (fault: unknown) => {
  throw fault
}

/** Calls an operation through one of the installation's doors. Null where the caller is refused as it must be: 401, 429. */
export async function call(model: Model, random: Random, one: Installation, wanted: Wanted): Promise<Reply | null> {
  const isEmbedded = one.app.embedded && one.state === 'active' && random.integer(2) === 0
  return isEmbedded ? callFromModule(model, random, one, wanted) : callByHttp(model, random, one, wanted)
}

/** As the bridge of a module's call serves it. */
async function callFromModule(
  { world }: Model,
  random: Random,
  one: Installation,
  { kind, verb, args }: Wanted,
): Promise<Reply> {
  const { context } = random.pick(world.webs)
  const module = await context.modules.find(one.tenant.id, one.app.slug)
  assert.ok(module)
  const caller = {
    ...{ tenant: module.tenant, app: { slug: module.slug, integrationType: 'embedded' as const } },
    ...{ installation: { id: module.installationId, rateLimited: false }, scopes: module.scopes },
    ...{ viewer: null, locale: 'en' as const },
  }
  const confirm = () => currentCaller(context.modules, module, caller)
  const moduleDatabase = {} as ModuleDatabase
  const bridge = createServiceBridge({
    caller,
    confirm,
    operations: byName,
    ports: context.ports,
    moduleDatabase,
    report,
  })
  const name = `${shapes[kind].name}.${verb}`
  try {
    const body = JSON.parse(await bridge.serve(`services.${name}`, JSON.stringify(args)))
    return { status: byName.get(name)!.status, body, replayed: false, request: null }
  } catch (error) {
    const { status, code } = error as { status?: number; code?: string }
    if (status === undefined) throw error
    return { status, body: { error: code }, replayed: false, request: null }
  }
}

async function callByHttp(model: Model, random: Random, one: Installation, wanted: Wanted): Promise<Reply | null> {
  const { kind, verb, args, key } = wanted
  const living = one.tokens.filter((token) => one.state === 'active' && token.endsAt > state.nowOf(model))
  if (living.length === 0) return null
  const { id, ...rest } = args
  const base = one.tenant.sandbox && random.integer(2) === 0 ? '/sandbox/apps' : '/apps'
  const hasId = verb === 'get' || verb === 'update'
  const path = `${base}${shapes[kind].path}${hasId ? `/${id}` : ''}`
  const [method, body] = [methods[verb], hasId ? rest : args]
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const answer = await model.world.ask(random.integer(2), method === 'GET' ? `${path}?${query}` : path, {
    ...{ token: random.pick(living).text, method },
    ...(method === 'GET' ? {} : { body }),
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  })
  assert.ok(answer.status < 500, `${answer.status} ${JSON.stringify(wanted)}`)
  if (!isServed(model, one, answer)) return null
  const replayed = answer.headers.get('idempotency-replayed') === 'true'
  return { status: answer.status, body: answer.body, replayed, request: JSON.stringify([method, path, body]) }
}

/** Counts a request of a limited installation, and whether it is one of the minute's sixty. */
export function isServed(model: Model, one: Installation, answer: Answer): boolean {
  if (one.app.embedded) return true
  const minute = Math.floor(state.nowOf(model) / 60_000)
  if (one.minute !== minute) Object.assign(one, { minute, used: 0 })
  one.used++
  const remaining = Math.max(0, requestsPerMinute - one.used)
  assert.equal(answer.headers.get('x-ratelimit-remaining'), String(remaining))
  assert.equal(answer.status === 429, one.used > requestsPerMinute)
  return answer.status !== 429
}
