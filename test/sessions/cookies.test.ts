import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browse, createPerson, type Page, type Person, signIn, tokenIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb } from '../support/web.ts'

let database: TestDatabase
let person: Person

before(async () => {
  database = await createTestDatabase()
  person = await createPerson(database, await createSchool(database.admin))
})
after(async () => database?.drop())

const secure = ['__Host-partner_device', '__Host-partner_form', '__Host-partner_session']
const cookiesOf = (page: Page) => page.headers.getSetCookie()
const namesOf = (page: Page) => cookiesOf(page).map((set) => set.split('=')[0]!)

test('where the public address is https, cookies are secure and held to the host', async (t) => {
  const web = await startWeb(database, { settings: { PUBLIC_URL: 'https://school.example' } })
  t.after(() => web.close())
  const browser = browse(web)
  const answer = await signIn(browser, person)
  assert.deepEqual(namesOf(answer).sort(), secure)
  for (const set of cookiesOf(answer)) {
    for (const attribute of ['; Path=/', '; HttpOnly', '; Secure', '; SameSite=Lax'])
      assert.ok(set.includes(attribute), set)
    assert.doesNotMatch(set, /Domain/i)
  }
  const home = await browser.get('/')
  assert.equal(home.status, 200)
  const [, value] = /__Host-partner_session=([^;]+)/.exec(browser.cookie)!
  const planted = browse(web)
  planted.cookie = `partner_session=${value}`
  assert.equal((await planted.get('/')).status, 303, 'a cookie that plain http could have set is not looked at')
  const left = await browser.post('/sign-out', { _token: tokenIn(home.text) })
  assert.match(cookiesOf(left)[0]!, /^__Host-partner_session=;.*Secure/)
})

test('so they are where a trusted proxy says that the request came by https; a stranger’s word is nothing', async (t) => {
  const forwarded = { 'x-forwarded-proto': 'https' }
  for (const [trusted, expected] of [
    [['127.0.0.1'], ['__Host-partner_form']],
    [['192.0.2.7'], ['partner_form']],
    [[], ['partner_form']],
  ] as const) {
    const web = await startWeb(database, { settings: { TRUSTED_PROXIES: [...trusted] } })
    t.after(() => web.close())
    const form = await browse(web).get('/sign-in', forwarded)
    assert.deepEqual(namesOf(form), expected, String(trusted))
    assert.equal(/; Secure/.test(cookiesOf(form)[0]!), expected[0].startsWith('__Host-'))
  }
})

test('over plain http, without a public address, cookies have plain names', async (t) => {
  const web = await startWeb(database)
  t.after(() => web.close())
  const plain = ['partner_device', 'partner_form', 'partner_session']
  assert.deepEqual(namesOf(await signIn(browse(web), person)).sort(), plain)
})

test('a sign-in form is good for the browser that it was served to, and no other', async (t) => {
  const web = await startWeb(database)
  t.after(() => web.close())
  const [attacker, victim] = [browse(web), browse(web)]
  const { username, password } = person
  const token = tokenIn((await attacker.get('/sign-in')).text)
  const without = await browse(web).post('/sign-in', { username, password, _token: token })
  assert.equal(without.status, 403, 'no cookie')
  await victim.get('/sign-in')
  const foreign = await victim.post('/sign-in', { username, password, _token: token })
  assert.equal(foreign.status, 403, 'the cookie of another form')
  assert.match(foreign.text, /no longer valid/)
  assert.equal((await victim.post('/sign-in', { username, password, _token: tokenIn(foreign.text) })).status, 303)
  assert.equal((await attacker.post('/sign-in', { username, password, _token: token })).status, 303)
})

test('two forms of one browser are both good', async (t) => {
  const web = await startWeb(database)
  t.after(() => web.close())
  const browser = browse(web)
  const first = tokenIn((await browser.get('/sign-in')).text)
  await browser.get('/sign-in')
  const { username, password } = person
  assert.equal((await browser.post('/sign-in', { username, password, _token: first })).status, 303)
})
