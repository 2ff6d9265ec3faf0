import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createDeliveryMemory, createWebhookListener, type HandlerOptions } from '@partner/client/webhooks'
import { webhookHeaders } from '../../host/events/signature.ts'
import { createTestClock } from './support.ts'

const secret = 'whsec_fleet'
const event = 'education.students.created'
const body = JSON.stringify({ id: 'e1', event, tenant_id: 1, created_at: 'x', data: {} })
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close().closeAllConnections()
})

/** Servers of one app behind one address, with a memory that they share, as a table would be. */
function startFleet() {
  const clock = createTestClock()
  const seen = createDeliveryMemory(clock.now)
  return {
    clock,
    /** Answers with what sends the webhook to this server, signed now, and resolves to the status. */
    async server(onWebhook: HandlerOptions['onWebhook']): Promise<() => Promise<number>> {
      const server = createServer(createWebhookListener({ secret, onWebhook, seen, clock: clock.now }))
      servers.push(server)
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      return async () => {
        const headers = webhookHeaders(secret, clock.now(), { deliveryId: 'd1', event, body })
        return (await fetch(url, { method: 'POST', headers, body })).status
      }
    },
  }
}

/** A handler that ends when and as the test says. */
function held() {
  const began = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<void>()
  return {
    began: began.promise,
    outcome,
    onWebhook: () => {
      began.resolve()
      return outcome.promise
    },
  }
}

test('what a server took and died over is handled by another at a later attempt', async () => {
  const { clock, server } = startFleet()
  const dying = held()
  let handled = 0
  const first = await server(dying.onWebhook)
  const second = await server(() => void handled++)
  const lost = first()
  await dying.began
  clock.forward(30_000)
  assert.deepEqual([await second(), handled], [503, 0])
  clock.forward(120_000)
  assert.deepEqual([await second(), handled], [200, 1])
  assert.deepEqual([await second(), handled], [200, 1])
  dying.outcome.resolve()
  await lost
})

test('what is being handled is answered 503 wherever it is sent, and 200 once that ended well', async () => {
  const { server } = startFleet()
  const slow = held()
  const [first, second] = [await server(slow.onWebhook), await server(slow.onWebhook)]
  const taken = first()
  await slow.began
  assert.deepEqual([await first(), await second()], [503, 503])
  slow.outcome.resolve()
  assert.deepEqual([await taken, await first(), await second()], [200, 200, 200])
})

test('what failed at one server is handled at the next attempt, wherever that goes', async () => {
  const { server } = startFleet()
  const failing = held()
  let handled = 0
  const [first, second] = [await server(failing.onWebhook), await server(() => void handled++)]
  const taken = first()
  await failing.began
  failing.outcome.reject(new Error('busy'))
  assert.deepEqual([await taken, await second(), handled], [500, 200, 1])
})

test('a replay that somebody asked for is handled anew once the memory let the webhook go', async () => {
  const { clock, server } = startFleet()
  let handled = 0
  const send = await server(() => void handled++)
  await send()
  clock.forward(15 * 60_000)
  assert.deepEqual([await send(), handled], [200, 1])
  clock.forward(5 * 60_000)
  assert.deepEqual([await send(), handled], [200, 2])
})
