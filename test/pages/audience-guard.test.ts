import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb } from '../support/web.ts'
import { browse, createPerson, installModule, scriptedGuest, signIn } from './support.ts'

const guest = scriptedGuest()
const database = await createTestDatabase()
const school = await createSchool(database.admin)
const person = await createPerson(database, school, { roles: ['librarian'] })
for (const [slug, role, path] of [
  ['library', 'librarian', '/'],
  ['office', 'principal', '/desk'],
  ['archive', 'librarian', '/shelves'],
] as const)
  await installModule(
    database,
    school,
    slug,
    { account_types: [{ key: 'staff', kind: 'primary', roles: [role], web_route: 'home' }] },
    { routes: [{ method: 'GET', path, name: 'home' }] },
  )
after(() => database.drop())

test('the launcher shows apps by their audience; the guard only logs until it enforces', async () => {
  guest.answer = 'h200\n<p>x</p>'
  for (const [mode, status] of [
    ['log', 200],
    ['enforce', 403],
  ] as const) {
    const web = await startWeb(database, { moduleCalls: guest, settings: { PARTNERS_AUDIENCE_GUARD_MODE: mode } })
    try {
      const browser = browse(web)
      await signIn(browser, person)
      const home = await browser.get('/')
      assert.match(home.text, /The library/)
      assert.doesNotMatch(home.text, /The office/)
      assert.match(home.text, /href="\/m\/archive\/shelves"/)
      assert.equal((await browser.get('/m/office/desk')).status, status)
      assert.equal((await browser.get('/m/archive/shelves/2')).status, 200)
      assert.equal((await browser.get('/m/archive/cellar')).status, status, 'no route of theirs')
      assert.equal((await browser.get('/m/library/anything')).status, 200)
    } finally {
      await web.close()
    }
  }
})
