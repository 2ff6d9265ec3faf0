import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import {
  createDeliveryMemory,
  createWebhookListener,
  registerWebhookRoute,
  verifyWebhook,
} from '@partner/client/webhooks'
import Fastify from 'fastify'
import { webhookHeaders } from '../../host/events/signature.ts'
import { createTestClock } from './support.ts'

const secret = 'whsec_helper'
const event = 'education.students.created'
const bodyOf = (id: string) => JSON.stringify({ id, event, tenant_id: 1, created_at: 'x', data: {} })
const body = bodyOf('e1')
const signed = (now: Date, id = 'e1') =>
  webhookHeaders(secret, now, { deliveryId: `delivery of ${id}`, event, body: bodyOf(id) })

const refused =
  (reason: string, status = 401) =>
  (error: unknown) => {
    const { reason: told, status: answer } = error as { reason?: string; status?: number }
    return told === reason && answer === status
  }

test('a genuine webhook is given out once; its replay is refused for at least 15 minutes', async () => {
  const clock = createTestClock()
  const seen = createDeliveryMemory(clock.now)
  const verify = () => verifyWebhook({ secret, headers: signed(clock.now()), rawBody: body, seen, clock: clock.now })
  const webhook = await verify()
  assert.equal(webhook.event, event)
  await assert.rejects(verify(), refused('handling', 503))
  await seen.done(webhook.id)
  clock.forward(15 * 60_000)
  await assert.rejects(verify(), refused('replayed', 200))
  clock.forward(6 * 60_000)
  await verify()
})

test('a signed request is the same one under another delivery id, and none under the name of another event', async () => {
  const clock = createTestClock()
  const seen = createDeliveryMemory(clock.now)
  const headers = signed(clock.now())
  const verify = (changes: object) =>
    verifyWebhook({ secret, headers: { ...headers, ...changes }, rawBody: body, seen, clock: clock.now })
  await assert.rejects(verify({ 'X-Platform-Event': 'education.students.updated' }), refused('wrong_event'))
  await seen.done((await verify({})).id)
  await assert.rejects(verify({ 'X-Platform-Delivery-Id': 'another' }), refused('replayed', 200))
})

test('what is signed and no webhook is refused', async () => {
  for (const rawBody of ['{', 'null', '7', '[]', '{}', `{"event":"${event}"}`, `{"id":"","event":"${event}"}`]) {
    const headers = webhookHeaders(secret, new Date(), { deliveryId: 'd', event, body: rawBody })
    await assert.rejects(verifyWebhook({ secret, headers, rawBody }), refused('malformed'))
  }
})

test('a wrong signature, a changed body, a stale or future timestamp and missing headers are refused', async () => {
  const clock = createTestClock()
  const headers = signed(clock.now())
  const verify = (changes: object, rawBody = body) =>
    verifyWebhook({ secret, headers: { ...headers, ...changes }, rawBody, clock: clock.now })
  await assert.rejects(verify({ 'X-Platform-Signature': 'ab'.repeat(32) }), refused('wrong_signature'))
  await assert.rejects(verify({ 'X-Platform-Signature': 'zz' }), refused('wrong_signature'))
  await assert.rejects(verify({}, `${body} `), refused('wrong_signature'))
  const other = String(Number(headers['X-Platform-Timestamp']) + 1)
  await assert.rejects(verify({ 'X-Platform-Timestamp': other }), refused('wrong_signature'))
  await assert.rejects(verify({ 'X-Platform-Signature': undefined }), refused('incomplete'))
  clock.forward(301_000)
  await assert.rejects(verify({}), refused('outside_tolerance'))
  clock.forward(-602_000)
  await assert.rejects(verify({}), refused('outside_tolerance'))
})

async function statuses(url: string): Promise<number[]> {
  const now = new Date()
  const post = async (id: string, changes: object = {}) =>
    (await fetch(url, { method: 'POST', headers: { ...signed(now, id), ...changes }, body: bodyOf(id) })).status
  return [
    await post('e1'),
    await post('e1'),
    await post('e2', { 'X-Platform-Signature': 'ab'.repeat(32) }),
    await post('e3'),
    await post('e3'),
  ]
}

/** Fails on its second webhook, once. */
function handler() {
  let calls = 0
  return {
    calls: () => calls,
    onWebhook: () => {
      calls++
      if (calls === 2) throw new Error('busy')
    },
  }
}

const expected = [200, 200, 401, 500, 200]

test('a sender that goes away in the middle of its body ends nothing but its request', async () => {
  const listener = createWebhookListener({ secret, onWebhook: () => {} })
  const server = createServer()
  const handled = new Promise<unknown>((resolve) => {
    server.once('request', (request, response) => resolve(listener(request, response).catch((error) => error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sender.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
  await once(server, 'request')
  sender.destroy()
  assert.equal(await handled, undefined)
  server.close()
})

test('the listener of node:http answers 200 once handled or seen, 401 to a forgery, 500 to be tried again', async () => {
  const { onWebhook, calls } = handler()
  const server = createServer(createWebhookListener({ secret, onWebhook }))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  assert.deepEqual(await statuses(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), expected)
  assert.equal(calls(), 3)
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

test('so does the route of a Fastify server, whose other routes keep their JSON', async () => {
  const { onWebhook, calls } = handler()
  const server = Fastify()
  registerWebhookRoute(server as never, '/hooks', { secret, onWebhook })
  server.post('/other', async (request) => request.body)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  assert.deepEqual(await statuses(`${url}/hooks`), expected)
  assert.equal(calls(), 3)
  const other = await fetch(`${url}/other`, {
    ...{ method: 'POST', body: '{"a":1}' },
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual(await other.json(), { a: 1 })
  await server.close()
})
