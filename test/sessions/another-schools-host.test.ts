import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { browse, createPerson, type Person, signIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type School } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let other: School
let person: Person
let strangers: { url: string }

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  strangers = { url: web.url.replace('127.0.0.1', 'localhost') }
  other = await createSchool(database.admin)
  person = await createPerson(database, await createSchool(database.admin))
})
afterEach(() => database.admin.query('delete from core.tenant_hosts'))
after(async () => {
  await web?.close()
  await database?.drop()
})

const register = () => database.admin.query('insert into core.tenant_hosts values ($1, $2)', ['localhost', other.id])

test('at another school’s host name nobody of this school signs in: the name counts as unknown, and as a guess', async () => {
  await register()
  const browser = browse(strangers)
  const answer = await signIn(browser, person)
  const unknown = await signIn(browse(strangers), { ...person, username: 'nobody' })
  const form = (page: string) => page.replace(/value="[^"]*"/g, '')
  assert.deepEqual([answer.status, form(answer.text)], [401, form(unknown.text)])
  assert.doesNotMatch(browser.cookie, /partner_session|partner_device/)
  for (let guess = 1; guess < 10; guess++) assert.equal((await signIn(browser, person)).status, 401)
  assert.equal((await signIn(browser, person)).status, 429)
  const theirs = await createPerson(database, other)
  assert.equal((await signIn(browse(strangers), theirs)).status, 303)
  const ours = await createPerson(database, await createSchool(database.admin))
  assert.equal((await signIn(browse(web), ours)).status, 303, 'at a host name that no school registered')
})

test('a session that began before another school registered the host name ends by signing out there', async () => {
  const ours = await createPerson(database, await createSchool(database.admin))
  const browser = browse(strangers)
  await signIn(browser, ours)
  await register()
  const elsewhere = browse(web)
  elsewhere.cookie = browser.cookie
  await browser.post('/sign-out', {})
  assert.equal((await elsewhere.get('/')).status, 200, 'no browser said that a page of the host sent the form')
  const left = await browser.post('/sign-out', {}, { origin: strangers.url })
  assert.equal(left.location, '/sign-in')
  assert.doesNotMatch(browser.cookie, /partner_session/)
  assert.equal((await elsewhere.get('/')).location, '/sign-in')
})
