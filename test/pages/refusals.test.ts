import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer } from '../../host/http/server.ts'
import { publishApp } from '../installations/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type School } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'
import { type Browser, browse, createPerson, installModule, scriptedGuest, signIn, tokenIn } from './support.ts'

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
let database: TestDatabase
let context: ReturnType<typeof testWebContext>
let server: Awaited<ReturnType<typeof createServer>>
let browser: Browser
let school: School
let url: string

before(async () => {
  database = await createTestDatabase()
  context = testWebContext(database)
  server = await createServer({ ...context, moduleCalls: scriptedGuest() })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
  browser = browse({ url })
  school = await createSchool(database.admin)
  await installModule(database, school, 'library')
  await signIn(browser, await createPerson(database, school, { administrator: true }))
})
after(async () => {
  await server?.close()
  await context?.close()
  await database?.drop()
})

/** The status of what a person is shown, who reads Arabic. It is a page of the platform's. */
async function shown(path: string, fields?: Record<string, string>): Promise<number> {
  const headers = { accept, 'accept-language': 'ar' }
  const page = await (fields ? browser.post(path, fields, headers) : browser.get(path, headers))
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', path)
  assert.match(page.text, /<html lang="ar" dir="rtl">[\s\S]*<h1>/)
  return page.status
}

async function errorOf(path: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const { status, text } = await browser.get(path, headers)
  return [status, JSON.parse(text).error]
}

test('an address that nobody has is told to a person as a page, to a program as JSON', async () => {
  for (const path of ['/library', '/m', '/sign-in/x', '/oauth/x']) {
    assert.equal(await shown(path), 404, path)
    assert.deepEqual(await errorOf(path), [404, 'not_found'], path)
  }
  assert.equal(await shown('/sign-out'), 405)
})

test('below the addresses of programs every error is JSON, whatever the client says it takes', async () => {
  for (const path of ['/apps/x', '/sandbox/apps/x', '/partners/api/x', '/partners/x', '/contacts/x', '/operator/x'])
    assert.deepEqual(await errorOf(path, { accept }), [404, 'not_found'], path)
})

test('a form that is too long is told to a person as a page', async () => {
  assert.equal(await shown('/sign-in', { password: 'a'.repeat(20_000) }), 413)
  assert.equal(await shown('/m/library', { title: 'a'.repeat(1_100_000) }), 413)
})

test('a link to consent that names no app is told to a person as a page, to a program as RFC 6749 says', async () => {
  const link = '/oauth/authorize?client_id=app_x&response_type=code&state=1'
  assert.equal(await shown(link), 400)
  assert.deepEqual(await errorOf(link, { accept: 'application/json' }), [400, 'invalid_request'])
})

test('who is no administrator of the school sees nothing of what it does with apps', async () => {
  const teacher = browse({ url })
  await signIn(teacher, await createPerson(database, school))
  const path = '/partners/api/school/installations'
  assert.equal((await browser.get(path)).status, 200)
  const { status, text } = await teacher.get(path)
  assert.deepEqual([status, JSON.parse(text).error], [403, 'forbidden'])
})

test('the page of a refusal names who is signed in and lets them sign out: a link to consent is no dead end for a teacher', async () => {
  const person = await createPerson(database, school)
  const teacher = browse({ url })
  const redirectUrls = ['https://app.example/']
  const { credentials } = await publishApp({ database, system: context.system }, { redirectUrls })
  const link = `/oauth/authorize?client_id=${credentials.client_id}&response_type=code&state=1`
  for (const [status, refused] of [
    [403, () => teacher.get(link, { accept })],
    [400, () => teacher.get('/oauth/authorize?client_id=app_x', { accept })],
    [419, () => teacher.post('/m/library', { _token: 'old' }, { accept })],
  ] as const) {
    await signIn(teacher, person)
    const page = await refused()
    assert.equal(page.status, status)
    assert.match(page.text, /class="host-person"><b><bdi>Mona</)
    assert.equal((await teacher.post('/sign-out', { _token: tokenIn(page.text) })).location, '/sign-in')
  }
})

test('while the database is away a person is shown a page on every address, and a program JSON', async () => {
  const { database: name } = database.superuser
  await database.admin.query(`alter database ${name} connection limit 0`)
  try {
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename <> current_user'
    await database.admin.query(others, [name])
    for (const path of ['/', '/m/library', '/oauth/authorize']) {
      assert.equal(await shown(path), 503, path)
      assert.deepEqual(await errorOf(path), [503, 'unavailable'], path)
    }
  } finally {
    await database.admin.query(`alter database ${name} connection limit -1`)
  }
})
