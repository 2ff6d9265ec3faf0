import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createPartnerClient, type PartnerApiError, type PartnerClient } from '@partner/client'
import { generateClient, generatedClient } from '../../partner-services/client/generate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let client: PartnerClient

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  const { token } = await installApp(database.admin, await createSchool(database.admin), {
    scopes: ['education.students.read', 'education.students.write'],
  })
  client = createPartnerClient({ baseUrl: `${web.url}/apps`, token })
})

after(async () => {
  await web?.close()
  await database?.drop()
})

test('the client file is what the operations say', () => {
  assert.equal(readFileSync(generatedClient, 'utf8'), generateClient())
})

test('every field of a record and of an input has its type, those that may be null too', () => {
  const text = generateClient()
  const described = [...text.matchAll(/^export type (\w+) = \{.*unknown.*$|^.*input: \{.*unknown.*$/gm)]
  assert.deepEqual(
    described.map(([line]) => line),
    [],
  )
  assert.match(text, /national_id: string \| null; birth_date: string \| null/)
})

test('records are created, read and changed with types, and pages come as one sequence', async () => {
  const { student } = await client.education.students.create({ full_name: 'Amal', gender: 'female' })
  assert.deepEqual(await client.education.students.get({ id: student.id }), { student })
  const changed = await client.education.students.update({ id: student.id, full_name: 'Amal B' })
  assert.equal(changed.student.full_name, 'Amal B')
  for (let n = 0; n < 6; n++) await client.education.students.create({ full_name: `S${n}` })
  const names: string[] = []
  for await (const { full_name } of client.education.students.all({ per_page: 3 })) names.push(full_name)
  assert.deepEqual(names, ['Amal B', 'S0', 'S1', 'S2', 'S3', 'S4', 'S5'])
})

test('a refusal is thrown with its code, scope and fields', async () => {
  await assert.rejects(client.education.guardians.list(), (error: PartnerApiError) => {
    assert.deepEqual([error.status, error.code, error.scope], [403, 'scope_not_granted', 'education.guardians.read'])
    return error.requestId !== null
  })
  await assert.rejects(client.education.students.create({ full_name: '' }), (error: PartnerApiError) => {
    assert.deepEqual([error.status, Object.keys(error.errors)], [422, ['full_name']])
    return true
  })
})

test('an id that an address would fold away is of no record, and not the list', async () => {
  for (const id of ['', '.', '..'])
    await assert.rejects(client.education.students.get({ id }), {
      name: 'PartnerApiError',
      status: 404,
      code: 'not_found',
    })
})

test('a write is tried again after 429, 503 and a cut connection with one key, as late as it is asked to', async () => {
  const keys: unknown[] = []
  const times: number[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'])
    times.push(performance.now())
    if (keys.length === 1) response.writeHead(429, { 'retry-after': '1' }).end('{}')
    else if (keys.length === 2) response.writeHead(503).end('{}')
    else if (keys.length === 3) request.socket.destroy()
    else if (keys.length === 4)
      response.writeHead(201, { 'content-length': '99' }).write('{"student"', () => request.socket.destroy())
    else response.writeHead(201).end('{"student":{}}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const other = createPartnerClient({ baseUrl: `http://127.0.0.1:${port}/apps`, token: 'x' })
  await other.education.students.create({ full_name: 'A' })
  await assert.rejects(
    createPartnerClient({
      baseUrl: `http://127.0.0.1:${port}`,
      token: 'x',
      retries: 0,
      fetch: async () => new Response('{}', { status: 500 }),
    }).identity.whoami(),
    { name: 'PartnerApiError', status: 500 },
  )
  server.closeAllConnections()
  server.close()
  assert.equal(keys.length, 5)
  assert.equal(new Set(keys).size, 1)
  assert.ok(times[1]! - times[0]! >= 990)
})

test('a signal of many calls keeps nothing of a pause, and ends one that it came just before', async () => {
  const { signal } = new AbortController()
  const answers = [503, 503, 200]
  const clientOf = (send: () => Promise<Response>) =>
    createPartnerClient({ baseUrl: web.url, token: 'x', fetch: send as typeof fetch })
  const again = { headers: { 'retry-after': '0' } }
  await clientOf(async () => new Response('{}', { status: answers.shift()!, ...again })).identity.whoami({
    signal,
  })
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
  const ended = new AbortController()
  const late = clientOf(async () => {
    ended.abort(new Error('enough'))
    return new Response('{}', { status: 429, headers: { 'retry-after': '60' } })
  })
  await assert.rejects(late.identity.whoami({ signal: ended.signal }), /enough/)
})
