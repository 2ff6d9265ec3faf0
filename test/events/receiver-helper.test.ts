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
const body = JSON.stringify({ id: 'e1', event: 'education.students.created', tenant_id: 1, created_at: 'x', data: {} })
const signed = (now: Date, deliveryId = 'd1') =>
  webhookHeaders(secret, now, { deliveryId, event: 'education.students.created', body })

const refused = (reason: string) => (error: unknown) => (error as { reason?: string }).reason === reason

test('a genuine webhook is given out once; its replay is refused for at least 15 minutes', async () => {
  const clock = createTestClock()
  const seen = createDeliveryMemory(clock.now)
  const verify = () => verifyWebhook({ secret, headers: signed(clock.now()), rawBody: body, seen, clock: clock.now })
  assert.equal((await verify()).event, 'education.students.created')
  clock.forward(15 * 60_000)
  await assert.rejects(verify(), refused('replayed'))
  clock.forward(6 * 60_000)
  await verify()
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
  const post = async (headers: Record<string, string>) => (await fetch(url, { method: 'POST', headers, body })).status
  return [
    await post(signed(now)),
    await post(signed(now)),
    await post({ ...signed(now, 'd2'), 'X-Platform-Signature': 'ab'.repeat(32) }),
    await post(signed(now, 'd3')),
    await post(signed(now, 'd3')),
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

test('a repeat of a webhook that is still being handled is answered as that one ends, and not as done', async () => {
  const began = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<void>()
  const seen = createDeliveryMemory()
  const repeated = Promise.withResolvers<void>()
  const watching = {
    ...seen,
    remember(deliveryId: string) {
      const isNew = seen.remember(deliveryId)
      if (!isNew) repeated.resolve()
      return isNew
    },
  }
  const onWebhook = () => {
    began.resolve()
    return outcome.promise
  }
  const server = createServer(createWebhookListener({ secret, onWebhook, seen: watching }))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const post = async () => (await fetch(url, { method: 'POST', headers: signed(new Date()), body })).status
  const first = post()
  await began.promise
  const second = post()
  await repeated.promise
  outcome.reject(new Error('busy'))
  assert.deepEqual(await Promise.all([first, second]), [500, 500])
  server.close()
})

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
