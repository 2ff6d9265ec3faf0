import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPartnerClient, type PartnerClientOptions } from '@partner/client'

const clientOf = (options: Partial<PartnerClientOptions>) =>
  createPartnerClient({ baseUrl: 'http://127.0.0.1:1/apps', token: 'x', retries: 0, ...options })

const answering = (body: string, status: number): Partial<PartnerClientOptions> => ({
  fetch: async () => new Response(body, { status, headers: { 'x-request-id': 'r1' } }),
})

test('an answer without a JSON object, refusal or success, is told with its status and request id', async () => {
  for (const body of ['null', '7', '[]', '', '<h1>Bad gateway</h1>'])
    for (const status of [200, 404, 502])
      await assert.rejects(clientOf(answering(body, status)).identity.whoami(), {
        ...{ name: 'PartnerApiError', status, code: null, scope: null, errors: {}, requestId: 'r1' },
      })
})

test('an address, a token or a key that cannot be sent is refused at once, and never tried', async () => {
  let tries = 0
  const send = async () => {
    tries++
    throw new TypeError('fetch failed')
  }
  const wrong = [
    { baseUrl: 'school.example/apps' },
    { baseUrl: 'http://a b/apps' },
    { token: 'a\nb' },
    { token: 'رمز' },
  ]
  for (const options of wrong)
    await assert.rejects(clientOf({ ...options, fetch: send, retries: 4 }).identity.whoami(), TypeError)
  const create = clientOf({ fetch: send, retries: 4 }).education.students.create
  await assert.rejects(create({ full_name: 'A' }, { idempotencyKey: 'a\nb' }), TypeError)
  assert.equal(tries, 0)
})

/** Never answers, as a server that hangs; rejects where it is told to stop. */
const hanging = (stopped: (reason: unknown) => void) => (_target: unknown, init?: RequestInit) =>
  new Promise<Response>((_, reject) => {
    const stop = () => {
      stopped(init!.signal!.reason)
      reject(init!.signal!.reason)
    }
    if (init!.signal!.aborted) stop()
    else init!.signal!.addEventListener('abort', stop)
  })

test('a try that takes longer than timeoutMs ends, and the next one has as much again', async () => {
  const reasons: unknown[] = []
  const hangs = hanging((reason) => reasons.push((reason as Error).name))
  const answers = [hangs, async () => new Response('{"retried":true}')]
  const send: typeof fetch = (target, init) => answers.shift()!(target, init)
  assert.deepEqual(await clientOf({ fetch: send, timeoutMs: 5, retries: 1 }).identity.whoami(), { retried: true })
  await assert.rejects(clientOf({ fetch: hangs, timeoutMs: 5 }).identity.whoami(), { name: 'TimeoutError' })
  assert.deepEqual(reasons, ['TimeoutError', 'TimeoutError'])
})

test("the caller's signal ends a try under way, which is not tried again", async () => {
  const ended = new AbortController()
  const reasons: unknown[] = []
  const hangs = hanging((reason) => reasons.push(reason))
  const asked = clientOf({ fetch: hangs, retries: 4 }).identity.whoami({ signal: ended.signal })
  ended.abort('enough')
  await assert.rejects(asked, (reason) => reason === 'enough')
  assert.deepEqual(reasons, ['enough'])
})
