import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { type Browser, browse, createPerson, installModule, scriptedGuest, signIn, tokenIn } from './support.ts'

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

/** Sends JSON for the form of the page, as a program does. */
async function sendJson(body: object, language = 'en'): Promise<{ status: number; answer: string }> {
  guest.answer = 'h200\n<form method="post" action="/m/library/loans"></form>'
  const { text } = await browser.get('/m/library')
  const token = tokenIn(text.slice(text.indexOf('host-content')))
  guest.asked.length = 0
  const response = await fetch(`${web.url}/m/library/loans`, {
    method: 'POST',
    headers: {
      cookie: browser.cookie,
      'content-type': 'application/json',
      'x-form-token': token,
      'accept-language': language,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, answer: await response.text() }
}

test('JSON stands for a form: numbers come as text, lists as repeated fields, null as no field', async () => {
  const { status } = await sendJson({
    title: 'A',
    copies: 3,
    price: 1.5,
    isbn: null,
    day: ['1', 2],
    none: [],
    one: [7],
  })
  assert.equal(status, 200)
  const { body, repeated } = guest.asked[0]!.input as Record<string, unknown>
  assert.deepEqual(body, { title: 'A', copies: '3', price: '1.5', day: '2', one: '7' })
  assert.deepEqual(repeated, { day: ['1', '2'] })
})

test('JSON that no form could say is refused with the fields, before the module is asked', async () => {
  const wrong = { loan: { id: 1 }, late: false, days: [[1]], students: [{}], number: 2 ** 53 }
  const { status, answer } = await sendJson({ title: 'A', ...wrong })
  assert.equal(status, 422)
  const why = 'must be a text, a number or a list of these'
  assert.deepEqual(JSON.parse(answer).errors, Object.fromEntries(Object.keys(wrong).map((name) => [name, [why]])))
  assert.match((await sendJson(wrong, 'ar')).answer, /يجب أن يكون نصا/)
  assert.equal(guest.asked.length, 0)
})

test('a text that no table could hold is refused with its field, in a query, a form or JSON', async () => {
  const why = 'must be text without NUL or broken characters'
  const query = await browser.get('/m/library?search=a%00b&page=2', { accept: 'application/json' })
  assert.deepEqual([query.status, JSON.parse(query.text).errors], [422, { search: [why] }])
  const page = await browser.get('/m/library?search=%00', { accept: 'text/html' })
  assert.deepEqual([page.status, page.headers.get('content-type')], [422, 'text/html; charset=utf-8'])
  for (const title of ['a\0b', '\ud800']) {
    const { status, answer } = await sendJson({ title, copies: 1 })
    assert.deepEqual([status, JSON.parse(answer).errors], [422, { title: [why] }])
  }
  assert.equal(guest.asked.length, 0)
})

test('a form is one however its content type is written', async () => {
  guest.answer = 'h200\n<form method="post" action="/m/library/loans"></form>'
  const { text } = await browser.get('/m/library')
  const token = tokenIn(text.slice(text.indexOf('host-content')))
  await browser.post('/m/library/loans', new URLSearchParams(`_token=${token}&day=1&day=2`), {
    'content-type': 'Application/X-WWW-Form-URLEncoded',
  })
  const { body, repeated } = guest.asked.at(-1)!.input as Record<string, unknown>
  assert.deepEqual([body, repeated], [{ day: '2' }, { day: ['1', '2'] }])
})

test('a form of too many fields is refused before it costs more than its parsing', async () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']))
  assert.equal((await browser.post('/m/library', fields(10_001))).status, 413)
  const repeated = new URLSearchParams(Array.from({ length: 10_001 }, (): [string, string] => ['f', '']))
  assert.equal((await browser.post('/m/library', repeated)).status, 413, 'one name, as many values')
  assert.equal((await browser.post('/m/library', fields(10_000))).status, 419, 'it has no token')
  assert.equal(guest.asked.length, 0)
})
