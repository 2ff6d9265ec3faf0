import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { checkTarget, ForbiddenTargetError, guardedLookup, isPublicAddress } from '../../host/events/public-address.ts'
import { resolveName } from '../../host/events/resolve-name.ts'
import { createWebhookClient } from '../../host/events/webhook-client.ts'
import { startReceiver } from './receiver.ts'
import { loopbackAllowed } from './support.ts'

const publicOnly = { allowLoopback: false, forbiddenPorts: new Set<number>() }

test('private, loopback, link-local, mapped and translated addresses are no public ones', () => {
  const forbidden = ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0', '100.64.0.1']
    .concat(['224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', '::ffff:127.0.0.1'])
    .concat(['::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:1::', '2001:db8::1', 'ff02::1', 'x'])
    .concat(['198.19.255.255', '203.0.113.1', '2001:1ff::1', '3fff:fff::1'])
  for (const address of forbidden) assert.equal(isPublicAddress(address), false, address)
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111']) assert.equal(isPublicAddress(address), true)
})

test('a literal private address, plain HTTP and passwords in the URL are refused whatever their spelling', () => {
  const forbidden = [
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
  ].concat([
    'https://[::1]/',
    'http://example.com/',
    'ftp://example.com/',
    'https://a:b@example.com/',
    'https://a@example.com/',
  ])
  for (const url of forbidden) assert.throws(() => checkTarget(new URL(url), publicOnly), ForbiddenTargetError, url)
  checkTarget(new URL('https://example.com/hooks'), publicOnly)
})

const answering = (addresses: { address: string; family: number }[]) => async () => addresses

test('a name that resolves to a private address after the check is refused at connection', async () => {
  const receiver = await startReceiver('x')
  const { port } = new URL(receiver.url)
  const resolver = answering([{ address: '127.0.0.1', family: 4 }])
  const client = createWebhookClient({ policy: publicOnly, lookupFor: (to) => guardedLookup(to, publicOnly, resolver) })
  const outcome = await client.post(`https://rebound.example:${port}/`, {}, '{}')
  assert.deepEqual([outcome.ok, outcome.status, outcome.error], [false, null, 'the address is not public'])
  const mixed = answering([
    { address: '1.1.1.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ])
  const careful = createWebhookClient({ policy: publicOnly, lookupFor: (to) => guardedLookup(to, publicOnly, mixed) })
  assert.equal((await careful.post('https://mixed.example/', {}, '{}')).error, 'the address is not public')
  assert.equal(receiver.received.length, 0)
  client.close()
  careful.close()
  await receiver.close()
})

test("where loopback is open the host's own ports and the database's are not", async () => {
  const receiver = await startReceiver('x')
  const port = Number(new URL(receiver.url).port)
  const client = createWebhookClient({ policy: { allowLoopback: true, forbiddenPorts: new Set([port]) } })
  for (const host of ['127.0.0.1', 'localhost', '127.8.8.8'])
    assert.equal((await client.post(`http://${host}:${port}/`, {}, '{}')).error, 'the address is not public', host)
  assert.equal(receiver.received.length, 0)
  client.close()
  await receiver.close()
})

test('a redirect is not followed: it is a failure like every answer but 2xx', async () => {
  const target = await startReceiver('x')
  const receiver = await startReceiver('x', (_request, response) =>
    response.writeHead(307, { location: target.url }).end(),
  )
  const client = createWebhookClient({ policy: loopbackAllowed })
  const outcome = await client.post(receiver.url, {}, '{}')
  assert.deepEqual([outcome.ok, outcome.status, outcome.headers.location], [false, 307, target.url])
  assert.equal(target.received.length, 0)
  client.close()
  await Promise.all([target.close(), receiver.close()])
})

test('a receiver that hangs, one that drips and one that cuts fail within the limit', async () => {
  const hanging = await startReceiver('x', () => {})
  const cutting = await startReceiver('x', (request) => request.socket.destroy())
  const silent = createServer((socket) => void socket.on('error', () => {}).resume())
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const dripping = createServer((socket) => {
    const drip = setInterval(() => socket.write('H'), 30)
    socket.on('error', () => {}).resume()
    socket.on('close', () => clearInterval(drip))
  })
  await new Promise<void>((done) => dripping.listen(0, '127.0.0.1', done))
  const client = createWebhookClient({ policy: loopbackAllowed, timeLimit: 200 })
  const urlOf = (server: typeof silent) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (const url of [hanging.url, cutting.url, urlOf(silent), urlOf(dripping)]) {
    const outcome = await client.post(url, {}, '{}')
    assert.deepEqual([outcome.ok, outcome.status], [false, null])
    assert.ok(outcome.durationMs < 1_500)
  }
  client.close()
  await Promise.all([hanging.close(), cutting.close()])
  await Promise.all([silent, dripping].map((server) => new Promise((done) => server.close(done))))
})

test('of an endless answer 4 KiB are kept, and its status counts', async () => {
  const receiver = await startReceiver('x', (_request, response) => {
    response.writeHead(200)
    const more = setInterval(() => response.write('x'.repeat(20_000)), 1)
    response.on('close', () => clearInterval(more))
  })
  const client = createWebhookClient({ policy: loopbackAllowed, timeLimit: 2_000 })
  const outcome = await client.post(receiver.url, {}, '{}')
  assert.deepEqual([outcome.ok, outcome.body.length], [true, 4_096])
  client.close()
  await receiver.close()
})

test('slow receivers take no connection from another of the same host', async () => {
  const receiver = await startReceiver('x', ({ url }, response) => {
    if (url === '/quick') response.writeHead(200).end()
  })
  const client = createWebhookClient({ policy: loopbackAllowed })
  const { origin } = new URL(receiver.url)
  const slow = Array.from({ length: 80 }, (_, app) => client.post(`${origin}/slow/${app}`, {}, '{}'))
  const outcome = await client.post(`${origin}/quick`, {}, '{}')
  assert.deepEqual([outcome.status, outcome.error], [200, null])
  await receiver.close()
  await Promise.all(slow)
  client.close()
})

test('however many connections the receiver has closed, none fails an attempt: the second try is over a new one, to where the name leads now', async (t) => {
  const [kept, old] = [16, new Set<Socket>()]
  let isReset = false
  const receiver = createServer((socket) => {
    const answer = (one: Socket) => one.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    socket.on('error', () => {})
    socket.on('data', () => {
      if (isReset) return old.has(socket) ? socket.resetAndDestroy() : answer(socket)
      if (old.add(socket).size === kept) for (const one of old) answer(one)
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  let address = '127.0.0.1'
  const lookupFor = (port: number) => guardedLookup(port, loopbackAllowed, async () => [{ address, family: 4 }])
  const client = createWebhookClient({ policy: loopbackAllowed, lookupFor })
  t.after(async () => {
    client.close()
    await new Promise((done) => receiver.close(done))
  })
  const post = () => client.post(`http://localhost:${(receiver.address() as AddressInfo).port}/`, {}, '{}')
  assert.ok((await Promise.all(Array.from({ length: kept }, post))).every(({ ok }) => ok))
  isReset = true
  for (let n = 1; n < kept; n++) assert.equal((await post()).error, null, `attempt ${n}`)
  address = '10.0.0.1'
  assert.equal((await post()).error, 'the address is not public')
})

test('a name whose name servers are silent keeps no other name waiting', async () => {
  const unanswered: (() => void)[] = []
  const server = createSocket('udp4', (query, { port, address }) => {
    const answer = (bytes: Buffer) => server.send(bytes, port, address)
    if (query.includes('silent')) unanswered.push(() => answer(noSuchName(query)))
    else answer(query.includes(Buffer.of(0, 1, 0, 1), 12) ? addressOf(query) : noSuchName(query))
  })
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done))
  const servers = [`127.0.0.1:${server.address().port}`]
  const lookup = guardedLookup(443, loopbackAllowed, (name) => resolveName(name, servers))
  const find = (name: string) =>
    new Promise((resolve) => lookup(name, { all: true }, (error, found) => resolve(error?.code ?? found)))
  const silent = Array.from({ length: 16 }, (_, n) => find(`silent${n}.example`))
  assert.deepEqual(await find('quick.example'), [{ address: '127.0.0.1', family: 4 }])
  while (unanswered.length < 2 * silent.length) await new Promise((done) => setTimeout(done, 1))
  for (const answer of unanswered) answer()
  assert.deepEqual(await Promise.all(silent), Array(silent.length).fill('ENOTFOUND'))
  await new Promise<void>((done) => server.close(done))
})

/** The question with another header: an answer of so many records, or an error. Source: RFC 1035, 4.1. */
function answerTo(query: Buffer, code: number, records: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5
  const counts = Buffer.of(0x81, 0x80 | code, 0, 1, 0, records.length > 0 ? 1 : 0, 0, 0, 0, 0)
  return Buffer.concat([query.subarray(0, 2), counts, query.subarray(12, end), records])
}
const noSuchName = (query: Buffer) => answerTo(query, 3, Buffer.alloc(0))
const addressOf = (query: Buffer) => answerTo(query, 0, Buffer.of(0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1))
