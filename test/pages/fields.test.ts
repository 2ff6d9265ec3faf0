import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { type Browser, browse, createPerson, installModule, scriptedGuest, signIn } from './support.ts'

const guest = scriptedGuest()
let database: TestDatabase
let web: TestWeb
let browser: Browser

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { moduleCalls: guest })
  const school = await createSchool(database.admin)
  await installModule(database, school, 'library')
  browser = browse(web)
  await signIn(browser, await createPerson(database, school))
})
beforeEach(() => {
  guest.asked.length = 0
})
after(async () => {
  await web?.close()
  await database?.drop()
})

test('a field that comes more than once is its last value, and all of them are told beside it', async () => {
  guest.answer = 'h200\n<form method="post" action="/m/library/loans"></form>'
  const page = await browser.get('/m/library?search=a&search=b&page=2&__proto__=x')
  const token = /name="_token" value="([^"]+)"/.exec(page.text.split('/loans"')[1]!)![1]!
  const told = () => JSON.parse(JSON.stringify(guest.asked.at(-1)!.input)) as Record<string, unknown>
  assert.equal(JSON.stringify(told().query), '{"search":"b","page":"2","__proto__":"x"}')
  assert.deepEqual(told().repeated, { search: ['a', 'b'] })
  await browser.post(
    '/m/library/loans?search=a&search=b',
    new URLSearchParams(`_token=${token}&day=1&day=2&day=3&book=x`),
  )
  assert.deepEqual([told().body, told().repeated], [{ day: '3', book: 'x' }, { day: ['1', '2', '3'] }])
})

test('a form of too many fields is refused before it costs more than its parsing', async () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']))
  assert.equal((await browser.post('/m/library', fields(10_001))).status, 413)
  assert.equal((await browser.post('/m/library', fields(10_000))).status, 419, 'it has no token')
  assert.equal(guest.asked.length, 0)
})
