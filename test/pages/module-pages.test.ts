import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type School } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import {
  type Browser,
  browse,
  createPerson,
  installModule,
  type Person,
  scriptedGuest,
  signIn,
  tokenIn,
} from './support.ts'

/*
 * decisions.md, "Pages and origins": each sentence and the tests that hold it.
 *
 * script-src, img-src, form-action, base-uri, frame-ancestors, no-store · here: "a page is served under the strict policy"
 *   in a browser: browser.test.ts "nothing of a hostile page runs…", "the browser itself refuses a form that leads elsewhere"
 * form actions lead only under /m/<slug>/ · sanitise.test.ts "forms lead below /m/<slug>/ only"; paths that hide something:
 *   paths.test.ts "… is nobody’s page"; redirects: here "a redirect stays within the app"
 * CSRF tokens are bound to session and slug · here: "a token of another app, another session or none is 419"
 *   and removed before the guest sees the body · here: "a form posts with the host’s token, which the guest never sees"
 * no style, no id, no password or file inputs · sanitise.test.ts "hostile text … loses what could act"
 * classes from a published list · sanitise.test.ts "every published class stays, every other goes"
 *   no imitation of the platform's controls · imitation.test.ts, all of it
 * mobile/ pages: CSP `sandbox allow-scripts`, no cookies · here: "mobile screens run in an origin of their own"; paths.test.ts
 *   "whatever a mobile screen answers has its own policy…"; browser.test.ts "a mobile screen … reads no cookie"
 * the session decides the tenant · here: "the viewer comes from the session", "another school's app, and none, are the same 404"
 * another school's host name means signed out · here: "another school's host name means signed out; one's own does not"
 * the host name counts for public pages only, and only if registered · paths.test.ts "a host name counts only if it is registered"
 */

const guest = scriptedGuest()
let database: TestDatabase
let web: TestWeb
let school: School
let person: Person
let browser: Browser

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { moduleCalls: guest })
  school = await createSchool(database.admin)
  person = await createPerson(database, school, { roles: ['librarian'] })
  for (const slug of ['library', 'office']) await installModule(database, school, slug)
  browser = browse(web)
  await signIn(browser, person)
})
beforeEach(() => {
  guest.asked.length = 0
})
after(async () => {
  await web?.close()
  await database?.drop()
})

test('a page is served under the strict policy and is not stored', async () => {
  guest.answer = 'h200\n<main class="page"><h1>Books</h1><script>alert(1)</script></main>'
  const page = await browser.get('/m/library')
  assert.equal(page.status, 200)
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
  )
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
  assert.match(page.text, /<h1>Books<\/h1>/)
  assert.doesNotMatch(page.text, /<script/)
})

test('the viewer comes from the session, whatever the request says', async () => {
  await browser.get('/m/library/loans?viewer=x', { 'x-viewer': 'principal' })
  const { viewer, input } = guest.asked[0]!
  assert.deepEqual(viewer, {
    type: 'employee',
    id: person.personId,
    displayName: 'Mona',
    roles: ['librarian'],
    entityId: school.id,
  })
  assert.deepEqual((input as { path: string }).path, '/loans')
  assert.deepEqual(Object.keys((input as { headers: object }).headers).sort(), [
    'accept',
    'accept-language',
    'content-type',
    'user-agent',
  ])
})

test('a supervisor is nobody of the school: the viewer is null', async () => {
  const supervisor = browse(web)
  await signIn(supervisor, await createPerson(database, school, { type: 'supervisor' }))
  await supervisor.get('/m/library')
  assert.equal(guest.asked[0]!.viewer, null)
})

test('signed out leads to sign-in; JSON and forms get 401', async () => {
  const stranger = browse(web)
  assert.equal((await stranger.get('/m/library/a?b=1')).location, '/sign-in?next=%2Fm%2Flibrary%2Fa%3Fb%3D1')
  assert.equal((await stranger.get('/m/library', { accept: 'application/json' })).status, 401)
  assert.equal((await stranger.post('/m/library', {})).status, 401)
  assert.equal(guest.asked.length, 0)
})

test("another school's app, and none, are the same 404", async () => {
  await installModule(database, await createSchool(database.admin), 'foreign')
  const [foreign, absent] = [await browser.get('/m/foreign'), await browser.get('/m/absent')]
  assert.deepEqual([foreign.status, absent.status], [404, 404])
  assert.equal(foreign.text, absent.text)
})

test("another school's host name means signed out; one's own does not", async () => {
  await database.admin.query('insert into core.tenant_hosts values ($1, $2), ($3, $4)', [
    'own.example',
    school.id,
    'other.example',
    (await createSchool(database.admin)).id,
  ])
  const get = async (host: string) => {
    const { request } = await import('node:http')
    return new Promise<number>((done) => {
      const { port } = new URL(web.url)
      request({ port, path: '/m/library', headers: { host, cookie: browser.cookie } }, (response) =>
        done(response.resume().statusCode!),
      ).end()
    })
  }
  assert.deepEqual([await get('own.example'), await get('other.example')], [200, 303])
})

test('a form posts with the host’s token, which the guest never sees', async () => {
  guest.answer =
    'h200\n<form method="post" action="/m/library/loans"><input name="title"></form><form action="/m/library"></form>'
  const page = await browser.get('/m/library')
  assert.equal(page.text.match(/name="_token"/g)!.length, 2, 'sign-out and the posting form; not the one that gets')
  const token = /loans"><input type="hidden" name="_token" value="([^"]+)"/.exec(page.text)![1]!
  const answer = await browser.post('/m/library/loans', { title: 'A', _token: token })
  assert.equal(answer.status, 200)
  assert.deepEqual((guest.asked.at(-1)!.input as { body: object }).body, { title: 'A' })
  assert.doesNotMatch(JSON.stringify(guest.asked), new RegExp(token))
})

test('a token that strayed into the address is taken out of the query too', async () => {
  await browser.get('/m/library?_token=stray&page=2')
  assert.deepEqual({ ...(guest.asked[0]!.input as { query: object }).query }, { page: '2' })
})

test('a token of another app, another session or none is 419; another site is 403', async () => {
  guest.answer = 'h200\n<form method="post"></form>'
  const library = tokenIn((await browser.get('/m/library')).text.split('host-content')[1]!)
  const other = browse(web)
  await signIn(other, person)
  assert.equal((await browser.post('/m/office', { _token: library })).status, 419)
  assert.equal((await other.post('/m/library', { _token: library })).status, 419)
  assert.equal((await browser.post('/m/library', {})).status, 419)
  assert.equal((await browser.post('/m/library', { _token: library }, { origin: 'https://evil.example' })).status, 403)
})

test('a person sees a refusal as a page, a program as JSON', async () => {
  const shown = await browser.post('/m/library', {}, { accept: 'text/html,*/*', 'accept-language': 'ar' })
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [419, 'text/html; charset=utf-8'])
  assert.match(shown.text, /dir="rtl"/)
  assert.equal(JSON.parse((await browser.post('/m/library', {})).text).error, 'session_expired')
})

test('scripts are taken out of a page, and the module’s log says so', async () => {
  guest.reported.length = 0
  guest.answer = 'h200\n<p>fine</p><SCRIPT>alert(1)</SCRIPT>'
  const page = await browser.get('/m/library')
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.text, /script|alert/i)
  assert.match(guest.reported.join(), /^scripts_removed: /)
})

test('an address that is taken out of a page is named in the module’s log: the first, without its query', async () => {
  guest.reported.length = 0
  guest.answer = 'h200\n<form method="post" action="/save?student=7"></form><a href="/trips">t</a>'
  const page = await browser.get('/m/library')
  assert.match(page.text, /<form method="post" action="\/m\/library">/)
  assert.deepEqual(guest.reported, [
    'address_removed: action="/save" leads to no page below "/m/library": a route is written without "/m/library", an address with it',
  ])
})

test('JSON is passed on as it is; what is no JSON is a plain error', async () => {
  guest.answer = 'j201\n{"a":[1,2,{"b":null}]}'
  const page = await browser.get('/m/library')
  assert.deepEqual(
    [page.status, page.text, page.headers.get('content-type')],
    [201, '{"a":[1,2,{"b":null}]}', 'application/json; charset=utf-8'],
  )
  for (const text of [
    'j200\n{"a":}',
    'j200\n<html>',
    `j200\n${'['.repeat(101)}${']'.repeat(101)}`,
    'x',
    '',
    'h999\n',
    'j200{}',
  ]) {
    guest.answer = text
    assert.equal((await browser.get('/m/library')).status, 500, text)
  }
})

test('long JSON is passed on byte by byte, and its memory given back once it is sent', async () => {
  const names = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => `طالب ${index}`))
  for (const [json, status] of [
    [names, 200],
    [`${names}]`, 500],
  ] as const) {
    const released = Promise.withResolvers<void>()
    guest.answer = { ok: true, lent: { bytes: Buffer.from(`j200\n${json}`), release: released.resolve } }
    const page = await browser.get('/m/library')
    assert.equal(page.status, status)
    if (status === 200) assert.equal(page.text, json)
    await released.promise
  }
  guest.answer = { ok: true, lent: { bytes: Buffer.from(`h200\n<p>${'a'.repeat(100_000)}</p>`), release: () => {} } }
  assert.match((await browser.get('/m/library')).text, /<p>a{100000}<\/p>/)
})

test('a redirect stays within the app', async () => {
  for (const [path, location] of [
    ['/loans?page=2', '/m/library/loans?page=2'],
    ['/', '/m/library/'],
    ['https://evil.example', null],
    ['//evil.example', null],
    ['/\\evil.example', null],
    ['/../other', null],
    ['/%2e%2e/other', null],
    ['/%252e%252e/other', null],
    ['/a\r\nset-cookie: x=1', null],
  ] as const) {
    guest.answer = `r${path}`
    const page = await browser.get('/m/library')
    assert.deepEqual([page.status, page.location], location === null ? [500, null] : [303, location], path)
  }
})

test('a redirect that names the app’s own place, below which it leads anyway, is refused, and the log says why', async () => {
  for (const path of ['/m/library', '/m/library/loans', '/m/library?page=2']) {
    guest.reported.length = 0
    guest.answer = `r${path}`
    assert.equal((await browser.get('/m/library')).status, 500, path)
    assert.deepEqual(guest.reported, [
      'unusable_answer: it redirects below "/m/library/m/library": a redirect is written without "/m/library"',
    ])
  }
  guest.answer = 'r/m/library_cards'
  assert.equal((await browser.get('/m/library')).location, '/m/library/m/library_cards')
})

test('a failure is a plain page with the invocation id and nothing of the host', async () => {
  guest.answer = {
    ok: false,
    status: 500,
    code: 'internal',
    failure: { kind: 'threw', message: 'secret of the module', stack: 'src/index.ts:3' },
  }
  const page = await browser.get('/m/library', { 'accept-language': 'ar' })
  assert.equal(page.status, 500)
  assert.match(page.text, /dir="rtl"/)
  assert.match(page.text, new RegExp(page.headers.get('x-invocation-id')!))
  assert.doesNotMatch(page.text, /secret of the module|index\.ts/)
  guest.answer = {
    ok: false,
    status: 503,
    code: 'app_quarantined',
    retryAfter: 60,
    failure: { kind: 'quarantined', message: '' },
  }
  const paused = await browser.get('/m/library')
  assert.deepEqual([paused.status, paused.headers.get('retry-after')], [503, '60'])
})

test('HTML that is too large, too deep or too slow to clean is a plain error, its log says why, and the next page is served', async () => {
  guest.reported.length = 0
  for (const html of ['a'.repeat(262_145), '<b>'.repeat(101), '<b>'.repeat(80_000)]) {
    guest.answer = `h200\n${html}`
    assert.equal((await browser.get('/m/library')).status, 500)
  }
  assert.match(guest.reported.join('\n'), /larger than .*\n.*deep/)
  assert.equal(guest.reported.length, 3)
  guest.answer = 'h200\n<p>fine</p>'
  assert.equal((await browser.get('/m/library')).status, 200)
})

test('mobile screens run in an origin of their own, without cookies', async () => {
  guest.answer = 'h200\n<p>m</p>'
  const page = await browser.get('/m/library/mobile/home')
  assert.equal(page.headers.get('content-security-policy'), 'sandbox allow-scripts')
  assert.deepEqual(page.headers.getSetCookie(), [])
})

test('other methods are 405, which says what there is', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${web.url}/m/library`, { method, headers: { cookie: browser.cookie } })
    assert.deepEqual([method, response.status, response.headers.get('allow')], [method, 405, 'GET, HEAD, POST'])
  }
})
