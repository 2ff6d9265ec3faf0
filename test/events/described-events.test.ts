import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyWebhook } from '@partner/client/webhooks'
import Ajv2020 from 'ajv/dist/2020.js'
import { announceCatalog } from '../../host/events/catalog-change.ts'
import { retryDelays } from '../../host/events/retry-schedule.ts'
import { webhookHeaders } from '../../host/events/signature.ts'
import { answerTime, createWebhookClient } from '../../host/events/webhook-client.ts'
import { openWebhookSecret } from '../../host/events/webhook-secret.ts'
import { createWebhookProbe } from '../../host/publishing/webhook-probe.ts'
import { rotateToken } from '../../host/security/tokens.ts'
import { eventDefinitions } from '../../partner-services/description/events.ts'
import { exampleOf, type JsonSchema } from '../../partner-services/description/json-schema.ts'
import { describeApi } from '../../partner-services/description/openapi.ts'
import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import { cipher, createTestSender, loopbackAllowed, type Platform, startPlatform, subscribe } from './support.ts'

let platform: Platform
let receiver: Receiver
const secret = 'whsec_described'
const clock = () => new Date()
const document = describeApi()
const described = document.webhooks as Record<
  string,
  { post: { parameters: { $ref: string }[]; requestBody: JsonSchema } }
>

before(async () => {
  platform = await startPlatform(clock)
  receiver = await startReceiver(secret)
})

after(async () => {
  await receiver?.close()
  await platform?.close()
})

/** What is wrong with a webhook's body by the description; null where nothing is. */
function createBodyCheck() {
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document } as object)
  return ({ body }: Received): string | null => {
    const place = `webhooks/${body.event}/post/requestBody/content/application~1json/schema`
    const validate = ajv.compile({ $ref: `api#/${place}` })
    return validate(body) ? null : `${body.event}: ${ajv.errorsText(validate.errors)}`
  }
}

/** A body as the description's example has it, without what refers to other records; of a change, with another name. */
function bodyOf(path: string, method: string): Record<string, unknown> {
  const { requestBody } = document.paths[path]![method.toLowerCase()] as { requestBody: { content: JsonSchema } }
  const { schema } = requestBody.content['application/json'] as { schema: JsonSchema }
  const example = exampleOf(schema, document.components.schemas) as Record<string, unknown>
  const fields = Object.entries(example).filter(([field]) => !field.endsWith('_id'))
  if (method === 'POST') return Object.fromEntries(fields)
  return Object.fromEntries(fields.map(([field, value]) => [field, field.endsWith('name') ? 'Another' : value]))
}

/** Performs every writing operation once, creations first, as a stranger would over HTTP. */
async function writeEverything(token: string): Promise<void> {
  const created = new Map<string, string>()
  const writing = operations.filter(({ writes }) => writes)
  for (const { http } of writing.toSorted(
    (a, b) => Number(b.http.method === 'POST') - Number(a.http.method === 'POST'),
  )) {
    const collection = http.path.replace('/{id}', '')
    const response = await fetch(`${platform.url}/apps${http.path.replace('{id}', created.get(collection) ?? '')}`, {
      method: http.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(http.path, http.method)),
    })
    const answer = (await response.json()) as Record<string, { id: string }>
    assert.ok(response.ok, `${http.method} ${http.path}: ${JSON.stringify(answer)}`)
    created.set(collection, Object.values(answer)[0]!.id)
  }
}

test('every event that can be sent is described, and what arrives is as described', async () => {
  const events = eventDefinitions().map(({ name }) => name)
  const app = await subscribe(platform, receiver.url, { secret, events })
  await writeEverything(app.token)
  await rotateToken({ database: platform.core, systemPool: platform.system, cipher, clock }, app)
  for (const version of ['first', 'second']) await announceCatalog(platform.system, cipher, clock(), version)
  const { post, close } = createWebhookClient({ policy: loopbackAllowed })
  const openSecret = (appId: string, sealed: Buffer) => openWebhookSecret(cipher, appId, sealed)
  const probe = createWebhookProbe({ system: platform.system, post, openSecret, clock })
  assert.ok((await probe({ id: app.appId }, receiver.url)).ok)
  close()
  const sender = createTestSender(platform.system, clock)
  await sender.settle()
  await sender.close()

  assert.deepEqual(receiver.received.map(({ body }) => body.event).sort(), Object.keys(described).sort())
  assert.ok(receiver.received.every(({ signed }) => signed))
  assert.deepEqual(receiver.received.map(createBodyCheck()).filter(Boolean), [])
})

test('every writing operation emits an event, named after its resource', () => {
  for (const { name, event, http } of operations.filter(({ writes }) => writes)) {
    const resource = name.slice(0, name.lastIndexOf('.'))
    assert.equal(event, `${resource}.${http.method === 'POST' ? 'created' : 'updated'}`)
  }
})

test('the scope of an event is one of the catalog, and the database names the same', async () => {
  const scopes = new Set(scopeCatalog.map(({ key }) => key))
  for (const { name, scope } of eventDefinitions()) {
    assert.ok(scope === null || scopes.has(scope), name)
    const { rows } = await platform.database.admin.query('select core.scope_of_event($1) as scope', [name])
    assert.equal(rows[0].scope, scope, name)
  }
})

const event = 'education.students.created'
const message = { deliveryId: 'd', event, body: JSON.stringify({ id: 'e', event }) }

test('every webhook is described with the headers by which a receiver knows it', () => {
  const parameters = document.components.parameters as Record<string, { name: string; in: string; required: boolean }>
  const sent = Object.keys(webhookHeaders(secret, clock(), message)).filter((name) => name.startsWith('X-'))
  for (const [name, { post }] of Object.entries(described)) {
    const named = post.parameters.map(({ $ref }) => parameters[$ref.replace('#/components/parameters/', '')]!)
    assert.deepEqual(
      named.map((one) => [one.name, one.in, one.required]),
      sent.map((header) => [header, 'header', true]),
      name,
    )
  }
})

test('how a webhook is checked and answered, and when it is sent again, is described as it is', async () => {
  const { description } = document.info as { description: string }
  assert.match(description, /hex HMAC-SHA256 over `<timestamp>\.<raw body>`.* in constant time/)
  assert.ok(description.includes(`2xx within ${answerTime / 1_000} seconds`))
  const units: Record<string, number> = { second: 1_000, minute: 60_000, hour: 3_600_000 }
  const times = /sent again after (.*?): /.exec(description)?.[1] ?? ''
  const delays = [...times.matchAll(/(\d+) (second|minute|hour)/g)].map(
    ([, count, unit]) => Number(count) * units[unit!]!,
  )
  assert.deepEqual(delays, retryDelays)
  const tolerance = Number(/more than (\d+) minutes away/.exec(description)?.[1]) * 60_000
  const now = clock()
  const signedBefore = (passed: number) =>
    verifyWebhook({
      ...{ secret, rawBody: message.body, clock: () => now },
      headers: webhookHeaders(secret, new Date(now.getTime() - passed), message),
    })
  await signedBefore(tolerance - 2_000)
  await assert.rejects(signedBefore(tolerance + 2_000), { reason: 'outside_tolerance' })
})
