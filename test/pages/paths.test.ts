import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { createServer } from '../../host/http/server.ts'
import { tenantOfHost } from '../../host/sessions/current-session.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type School } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'
import { type Browser, browse, createPerson, installModule, scriptedGuest, signIn } from './support.ts'

const guest = scriptedGuest()
let database: TestDatabase
let context: ReturnType<typeof testWebContext>
let server: Awaited<ReturnType<typeof createServer>>
let url: string
let school: School
let browser: Browser

before(async () => {
  database = await createTestDatabase()
  context = testWebContext(database)
  server = await createServer({ ...context, moduleCalls: guest })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
  school = await createSchool(database.admin)
  await installModule(database, school, 'library')
  browser = browse({ url })
  await signIn(browser, await createPerson(database, school))
})
beforeEach(() => {
  guest.asked.length = 0
})
after(async () => {
  await server?.close()
  await context?.close()
  await database?.drop()
})

/** The status of a path that is sent exactly as it is written. */
const raw = (path: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((done, failed) => {
    request({ port: new URL(url).port, path, headers: { cookie: browser.cookie, ...headers } }, (response) =>
      done(response.resume().statusCode!),
    )
      .on('error', failed)
      .end()
  })

for (const path of [
  '..',
  '../office',
  '%2e%2e/office',
  '.%2E/office',
  'a/./b',
  'a//b',
  '/mobile/home',
  '..%2foffice',
  'a%2Fb',
  'a%252fb',
  'a%5cb',
  'a\\b',
  'a%00b',
  'a%2500b',
  'a%0d%0ab',
  '%252e%252e/office',
  '%25252e%25252e/office',
  'a%25%32%66b',
  '%25%32%65%25%32%65/office',
]) {
  test(`/m/library/${path} is nobody’s page: 404 before a module, its audience or the session is asked`, async () => {
    assert.equal(await raw(`/m/library/${path}`), 404)
    assert.equal(await raw(`/m/library/${path}`, { cookie: '' }), 404)
    assert.equal(guest.asked.length, 0)
  })
}

test('honest paths reach the module, Arabic and percent signs too', async () => {
  for (const path of ['', '/', '/loans/a.b..c', '/%D9%83%D8%AA%D8%A8', '/100%25', '/a%20b', '/x?next=..%2f..'])
    assert.equal(await raw(`/m/library${path}`), 200, path)
  assert.equal(guest.asked.length, 7)
})

test('whatever a mobile screen answers has its own policy, no cookie and no way out', async () => {
  const [mobile, policy] = ['/m/library/mobile/home', 'sandbox allow-scripts']
  const failure = { kind: 'threw', message: 'secret' } as const
  for (const answer of [
    'h200\n<form method="post"></form>',
    'n',
    { ok: false, status: 500, code: 'internal', failure },
  ]) {
    guest.answer = answer as typeof guest.answer
    const page = await browser.get(mobile, { accept: 'text/html' })
    assert.equal(page.headers.get('content-security-policy'), policy)
    assert.deepEqual(page.headers.getSetCookie(), [])
    assert.doesNotMatch(page.text, /_token|sign-out|secret|href="\/"/)
  }
  const signedOut = await browse({ url }).get(mobile, { accept: 'text/html' })
  assert.deepEqual([signedOut.status, signedOut.headers.get('content-security-policy')], [401, policy])
  const posted = await browser.post(mobile, {}, { accept: 'text/html' })
  assert.deepEqual([posted.status, posted.headers.get('content-security-policy')], [419, policy])
})

test('a redirect keeps every honest path', async () => {
  for (const path of ['/tags/new%20books', '/tags/50%25', '/%D9%83%D8%AA%D8%A8', '/x?next=..%2f..']) {
    guest.answer = `r${path}`
    const { status, location } = await browser.get('/m/library')
    assert.deepEqual([status, location], [303, `/m/library${path}`])
  }
  guest.answer = 'h200\n<p>x</p>'
})

test('a mobile screen redirects below mobile/ only', async () => {
  guest.answer = 'r/mobile/next'
  assert.equal((await browser.get('/m/library/mobile/home')).location, '/m/library/mobile/next')
  guest.answer = 'r/loans'
  assert.equal((await browser.get('/m/library/mobile/home')).status, 500)
  guest.answer = 'h200\n<p>x</p>'
})

test('a page view asks the database once who it is, where, and with which roles; the next one remembers', async () => {
  const fresh = browse({ url })
  await signIn(fresh, await createPerson(database, school))
  const asked: string[] = []
  const onSystem = () => asked.push('system')
  const onCore = () => asked.push('core')
  context.system.on('acquire', onSystem)
  context.database.pool.on('acquire', onCore)
  await fresh.get('/m/library')
  await fresh.get('/m/library')
  context.system.off('acquire', onSystem)
  context.database.pool.off('acquire', onCore)
  assert.deepEqual(asked, ['system'])
})

test('the role that asks who it is sees no employee, only the roles of one that it names', async () => {
  assert.equal((await context.system.query('select from core.employees')).rowCount, 0)
  await assert.rejects(context.database.pool.query(`select core.roles_of('a', 'b')`), /permission denied/)
})

test('a host name counts only if it is registered, however it is written', async () => {
  await database.admin.query('insert into core.tenant_hosts values ($1, $2)', ['own.example', school.id])
  assert.equal(await tenantOfHost(context.system, 'OWN.example.'), school.id)
  assert.equal(await tenantOfHost(context.system, 'unknown.example'), null)
  const other = await createSchool(database.admin)
  await database.admin.query('insert into core.tenant_hosts values ($1, $2)', ['other.example', other.id])
  assert.equal(await raw('/m/library', { host: 'OTHER.example.' }), 303, 'signed out at another school')
  assert.equal(await raw('/m/library', { host: 'unknown.example' }), 200)
})
