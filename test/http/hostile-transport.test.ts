import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createServer } from '../../host/http/server.ts'
import { createPartner } from '../../host/lifecycle/partner-keys.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb, testWebContext } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let app: InstalledApp

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  app = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await web?.close()
  await database?.drop()
})

/** Sends bytes as they are and answers with what came back until the server closed. */
function raw(
  ...chunks: (string | Buffer)[]
): Promise<{ status: number; body: { message: string; error: string }; head: string }> {
  const { hostname, port } = new URL(web.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const chunk of chunks) socket.write(chunk)
    })
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      if (head === '') return reject(new Error('no answer'))
      resolve({ status: Number(head.split(' ')[1]), body: JSON.parse(body), head })
    })
  })
}

const request = (method: string, path: string, ...headers: string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${app.token}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

const post = (body: string | Buffer, type = 'application/json') =>
  raw(
    request('POST', '/apps/education/students', `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`),
    body,
  )

test('a megabyte of headers is refused without reading it all', async () => {
  const { status, body, head } = await raw(request('GET', '/apps/whoami', `X-Big: ${'x'.repeat(1_048_576)}`))
  assert.deepEqual([status, body.error], [431, 'headers_too_large'])
  assert.match(head, /x-request-id: \S+/i)
})

test('what is no HTTP is refused', async () => {
  assert.deepEqual((await raw('NONSENSE\r\n\r\n')).status, 400)
})

test('a request that expects what nobody knows is answered like any other, with an id to quote', async () => {
  const { status, head } = await raw(request('GET', '/apps/whoami', 'Expect: the-unexpected'))
  assert.equal(status, 200)
  assert.match(head, /x-request-id: \S+/i)
})

test('a body that is broken, deep, wrongly encoded or not JSON is refused by its kind', async () => {
  const cases: [string | Buffer, string, number, string][] = [
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'application/json', 400, 'bad_request'],
    [Buffer.from('{"full_name":"A"}', 'utf16le'), 'application/json', 400, 'bad_request'],
    [`{"a":${'['.repeat(100_000)}`, 'application/json', 400, 'bad_request'],
    [`{"full_name":"A","x":${'['.repeat(70)}${']'.repeat(70)}}`, 'application/json', 400, 'bad_request'],
    ['{"full_name":"A"} x', 'application/json', 400, 'bad_request'],
    ['{"full_name":"A","__proto__":{"x":1}}', 'application/json', 400, 'bad_request'],
    ['', 'application/json', 400, 'bad_request'],
    ['full_name=A', 'application/xml', 415, 'unsupported_media_type'],
    ['[]', 'application/json', 422, 'invalid_data'],
    ['"text"', 'application/json', 422, 'invalid_data'],
    ['{"full_name":"A\\u0000"}', 'application/json', 422, 'invalid_data'],
    ['{"full_name":"\\ud800"}', 'application/json', 422, 'invalid_data'],
  ]
  for (const [body, type, status, error] of cases) {
    const answer = await post(body, type)
    assert.deepEqual([answer.status, answer.body.error], [status, error], String(body).slice(0, 60))
  }
})

test('a body of more values than any honest one is refused before it is parsed', async () => {
  const student = (values: number) => `{"full_name":"A","x":[${'0,'.repeat(values)}0]}`
  assert.equal((await post(student(99_000))).status, 201)
  const { status, body } = await post(student(100_000))
  assert.deepEqual([status, body.error], [413, 'payload_too_large'])
  const names = Array.from({ length: 1_000_000 }, (_, n) => `"${n.toString(36)}":""`)
  const { key } = await createPartner(database.admin, 'Sahab Apps')
  const publish = await web.call('/partners/api/publish', {
    method: 'POST',
    token: key,
    body: `{"files":{${names.join(',')}}}`,
  })
  assert.deepEqual([publish.status, publish.body.error], [413, 'payload_too_large'])
})

test('a body longer than announced by the limit is refused', async () => {
  const announced = request(
    'POST',
    '/apps/education/students',
    'Content-Type: application/json',
    'Content-Length: 1048577',
  )
  assert.equal((await raw(announced, 'x')).status, 413)
})

test('of a partner a module’s source may be large, and nothing else that is kept', async () => {
  const { key } = await createPartner(database.admin, 'Sahab Apps')
  const ask = (path: string, body: unknown) => web.call(`/partners/api${path}`, { method: 'POST', token: key, body })
  const app = { slug: 'large', display_name: 'Large', integration_type: 'external' }
  const large = 'A'.repeat(2_000_000)
  assert.equal((await ask('/apps', { ...app, declarations: { external: { x: large } } })).status, 413)
  assert.equal((await ask('/apps', app)).status, 201)
  assert.equal((await ask('/publish', { files: { 'src/index.ts': '!', 'data.txt': large } })).status, 422)
})

test('a form that would take long to parse is refused before it is, where anybody may send one', async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded'
  for (const [path, length] of [
    ['/sign-in', 16_385],
    ['/sign-out', 16_385],
    ['/oauth/authorize', 65_537],
    ['/oauth/token', 65_537],
  ] as const)
    assert.equal((await raw(request('POST', path, form, `Content-Length: ${length}`), 'x')).status, 413, path)
  const json = 'Content-Type: application/json'
  for (const path of ['/nowhere', '/partners/api/apps/x/deliveries/replay', '/partners/api/school/apps/x/install'])
    assert.equal((await raw(request('POST', path, json, 'Content-Length: 65537'), 'x')).status, 413, path)
})

test('of a stranger’s form for an app, or of his request to the API, nothing is read', async () => {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const stranger = (path: string) => request('POST', path, type, 'Content-Length: 1000000').replace(app.token, 'none')
  for (const path of ['/m/library', '/m/library/mobile/x', '/apps/education/students'])
    assert.equal((await raw(stranger(path))).status, 401, path)
})

test('query keys given twice, numbers for ids and broken escapes are refused', async () => {
  for (const query of ['page=1&page=2', 'search=a&search=b', 'grade_id=42', 'search=%00', 'per_page=1e9', 'page=-1']) {
    assert.equal((await raw(request('GET', `/apps/education/students?${query}`))).status, 422, query)
  }
  assert.equal((await raw(request('GET', '/apps/education/students/%zz'))).status, 400)
  for (const id of ['42', '%00', '..%2f..', 'x'.repeat(90)]) {
    assert.equal((await raw(request('GET', `/apps/education/students/${id}`))).status, 404, id)
  }
})

test('a known path with another method is 405 and says which; an unknown path is 404, both in JSON', async () => {
  const put = await web.call('/apps/education/students', { token: app.token, method: 'PUT' })
  assert.deepEqual(
    [put.status, put.body.error, put.headers.get('allow')],
    [405, 'method_not_allowed', 'GET, HEAD, POST'],
  )
  for (const path of ['/apps/nowhere', '/nowhere', '/apps']) {
    const { status, body } = await web.call(path, { token: app.token })
    assert.deepEqual([status, body.error], [404, 'not_found'], path)
  }
  const head = await web.call('/apps/whoami', { token: app.token, method: 'HEAD' })
  assert.deepEqual([head.status, head.body], [200, ''])
})

test('messages come in the language asked for, those of fields too; codes never change', async () => {
  const send = (language: string) =>
    web.call('/apps/education/students', {
      token: app.token,
      method: 'POST',
      body: { grade_id: 'x' },
      headers: { 'accept-language': language },
    })
  const arabic = await send('fr, ar-SA;q=0.8, en;q=0.5')
  const english = await send('en')
  assert.equal(arabic.body.error, english.body.error)
  assert.equal(english.body.message, 'The given data was invalid.')
  for (const text of [arabic.body.message, ...Object.values(arabic.body.errors).flat()])
    assert.match(String(text), /[ء-ي]/)
})

test('who sends slowly is cut off while others are served at once', async () => {
  const slow = Promise.all(Array.from({ length: 50 }, () => raw('GET /apps/whoami HTTP/1.1\r\nHost: x\r\nX-Slow: ')))
  const times: number[] = []
  for (let n = 0; n < 100; n++) {
    const began = performance.now()
    assert.equal((await web.call('/apps/whoami', { token: app.token })).status, 200)
    times.push(performance.now() - began)
  }
  assert.ok(times.sort((a, b) => a - b)[50]! < 100)
  for (const { status, body } of await slow) assert.deepEqual([status, body.error], [408, 'request_timeout'])
})

test('who asks for the reference page’s script and does not read it holds no memory of ours', async (t) => {
  const { hostname, port } = new URL(web.url)
  await (await fetch(`${web.url}/docs/js/scalar.js`)).arrayBuffer()
  const before = process.memoryUsage().arrayBuffers
  const readers = 40
  await Promise.all(
    Array.from({ length: readers }, async () => {
      const socket = connect(Number(port), hostname)
      t.after(() => socket.destroy())
      socket.write('GET /docs/js/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket, 'readable')
    }),
  )
  const held = process.memoryUsage().arrayBuffers - before
  assert.ok(held / readers < 1_000_000, `${held} bytes for ${readers} readers`)
})

test('a connection on which nothing moves any more is ended, whatever was asked on it', async (t) => {
  const context = testWebContext(database)
  const server = await createServer(context)
  t.after(async () => {
    await server.close()
    await context.close()
  })
  assert.equal(server.server.timeout, 300_000)
})
