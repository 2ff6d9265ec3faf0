import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { ulid } from 'ulid'
import { createWebhookClient } from '../../host/events/webhook-client.ts'
import { createWebhookProbe } from '../../host/publishing/webhook-probe.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
after(() => database.drop())
const appId = ulid()
await database.admin.query(
  `insert into core.apps (id, slug, integration_type, display_name, webhook_secret_encrypted) values ($1, 'pinged', 'external', 'App', 'sealed')`,
  [appId],
)

const received: { headers: IncomingHttpHeaders; body: string }[] = []
let answer = 200
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ headers: request.headers, body })
  response.writeHead(answer, { location: '/elsewhere' }).end()
})
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
after(() => receiver.close())
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

function probe(allowLoopback: boolean) {
  const client = createWebhookClient({ policy: { allowLoopback, forbiddenPorts: new Set() } })
  after(() => client.close())
  const openSecret = (_: string, sealed: Buffer) => `whsec of ${sealed}`
  return createWebhookProbe({ system: database.admin, post: client.post, openSecret, clock: () => new Date() })
}

test('the ping is a delivery like others: signed with the app’s secret over timestamp and body', async () => {
  const { ok, status } = await probe(true)({ id: appId }, url)
  assert.deepEqual([ok, status], [true, 200])
  const { headers, body } = received.at(-1)!
  const expected = createHmac('sha256', 'whsec of sealed').update(`${headers['x-platform-timestamp']}.${body}`)
  assert.equal(headers['x-platform-signature'], expected.digest('hex'))
  assert.equal(JSON.parse(body).event, headers['x-platform-event'])
})

test('the ids of a ping are those of deliveries: two UUIDs of version 7', async () => {
  await probe(true)({ id: appId }, url)
  const { headers, body } = received.at(-1)!
  const ids = [JSON.parse(body).id, headers['x-platform-delivery-id']]
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.notEqual(ids[0], ids[1])
})

test('everything but 2xx fails, redirects are not followed', async () => {
  for (answer of [302, 401, 500]) {
    const before = received.length
    const { ok, status } = await probe(true)({ id: appId }, url)
    assert.deepEqual([ok, status, received.length], [false, answer, before + 1])
  }
})

test('only public addresses are called unless a setting opens loopback', async () => {
  const before = received.length
  const { ok, status, error } = await probe(false)({ id: appId }, url)
  assert.deepEqual([ok, status, received.length], [false, null, before])
  assert.doesNotMatch(error ?? '', /127\.0\.0\.1/)
})

test('an app without a secret is not pinged', async () => {
  const { ok, error } = await probe(true)({ id: ulid() }, url)
  assert.deepEqual([ok, error], [false, 'the app has no webhook secret yet: partner credentials <slug> makes one'])
})
