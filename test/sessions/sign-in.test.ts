import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browse, createPerson, type Person, signIn, tokenIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let person: Person

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  person = await createPerson(database, await createSchool(database.admin))
})
after(async () => {
  await web?.close()
  await database?.drop()
})

test('the right password opens a session whose cookie no script can read', async () => {
  const browser = browse(web)
  const answer = await signIn(browser, person)
  assert.deepEqual([answer.status, answer.location], [303, '/'])
  assert.match(
    answer.headers.getSetCookie().find((set) => set.startsWith('partner_session='))!,
    /; HttpOnly; SameSite=Lax$/,
  )
  assert.equal((await browser.get('/')).status, 200)
  const { rows } = await database.admin.query('select token_hash from core.sessions')
  assert.ok(
    !rows.some(({ token_hash }) => browser.cookie.includes(token_hash.toString('base64url'))),
    'only a hash is kept',
  )
})

test('a wrong password and an unknown name answer alike', async () => {
  const browser = browse(web)
  const wrong = await signIn(browser, { ...person, password: 'no' })
  const unknown = await signIn(browser, { ...person, username: 'nobody' })
  assert.deepEqual([wrong.status, unknown.status], [401, 401])
  const form = (page: string) => page.replace(/value="[^"]*"/g, '')
  assert.equal(form(wrong.text), form(unknown.text))
  assert.equal((await browser.get('/')).location, '/sign-in')
})

test('after a mistake the form keeps the name, asks for the password, and ties what was wrong to both', async () => {
  const browser = browse(web)
  const { text } = await signIn(browser, { ...person, username: '"ليلى"', password: 'no' })
  const [username, password] = [...text.matchAll(/<input class="host-input"[^>]*>/g)].map(([field]) => field)
  assert.match(username!, /value="&quot;ليلى&quot;"/)
  for (const field of [username!, password!]) assert.match(field, /aria-invalid="true" aria-describedby="problem"/)
  assert.deepEqual([/ autofocus/.test(username!), / autofocus/.test(password!)], [false, true])
  assert.match(text, /id="problem" role="alert"/)
  assert.doesNotMatch(text, /value="no"/)
  const fresh = (await browser.get('/sign-in')).text
  assert.doesNotMatch(fresh, /aria-invalid|problem/)
  assert.match(fresh, /name="username"[^>]* autofocus/)
})

test('a sign-in without the form’s token, or from another site, is refused', async () => {
  const { username, password } = person
  const browser = browse(web)
  const token = tokenIn((await browser.get('/sign-in')).text)
  assert.equal((await browser.post('/sign-in', { username, password })).status, 403)
  for (const headers of [
    { origin: 'https://evil.example' },
    // Of a sandboxed page, as a mobile screen of an app is one.
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    const { status } = await browser.post('/sign-in', { username, password, _token: token }, headers)
    assert.equal(status, 403, JSON.stringify(headers))
  }
})

test('signing in again ends the session before; signing out ends the session', async () => {
  const browser = browse(web)
  await signIn(browser, person)
  const first = browser.cookie
  await signIn(browser, person)
  const stale = browse(web)
  stale.cookie = first
  assert.equal((await stale.get('/')).location, '/sign-in')
  const home = await browser.get('/')
  const kept = browser.cookie
  await browser.post('/sign-out', { _token: tokenIn(home.text) })
  stale.cookie = kept
  assert.equal((await stale.get('/')).location, '/sign-in')
})

test('“Sign out” on a page of an earlier session ends the one that lives, and never says so of one that goes on', async () => {
  const browser = browse(web)
  await signIn(browser, person)
  const earlier = tokenIn((await browser.get('/')).text)
  const teacher = await createPerson(database, await createSchool(database.admin))
  for (const proof of [{ 'sec-fetch-site': 'same-origin' }, { origin: web.url }] as Record<string, string>[]) {
    await signIn(browser, teacher)
    assert.equal((await browser.post('/sign-out', { _token: earlier }, proof)).location, '/sign-in')
    assert.equal((await browser.get('/')).location, '/sign-in')
  }
  await signIn(browser, teacher)
  for (const headers of [{}, { 'sec-fetch-site': 'none' }, { origin: 'null' }] as Record<string, string>[]) {
    const refused = await browser.post('/sign-out', { _token: earlier }, { accept: 'text/html', ...headers })
    assert.equal(refused.status, headers.origin ? 403 : 419)
    assert.match(refused.text, /class="host-person"><b><bdi>Mona</)
    assert.equal((await browser.get('/')).status, 200)
  }
  const page = await browser.post('/sign-out', { _token: earlier }, { accept: 'text/html' })
  assert.equal((await browser.post('/sign-out', { _token: tokenIn(page.text) })).location, '/sign-in')
  assert.equal((await browser.get('/')).location, '/sign-in')
})

test('after sign-in a browser is only sent to a path of this host', async () => {
  for (const [next, location] of [
    ['/m/library?page=2', '/m/library?page=2'],
    ['//evil.example', '/'],
    ['https://evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/m/library?search=كتاب', '/m/library?search=%D9%83%D8%AA%D8%A7%D8%A8'],
    [`/oauth/authorize?state=${'s'.repeat(1_024)}`, `/oauth/authorize?state=${'s'.repeat(1_024)}`],
    ['/m/%D9%83?x=50%25', '/m/%D9%83?x=50%25'],
    ['/\u0001\u007f//evil.example', '/%01%7F//evil.example'],
  ] as const) {
    const browser = browse(web)
    const form = await browser.get('/sign-in')
    const answer = await browser.post('/sign-in', {
      username: person.username,
      password: person.password,
      next,
      _token: tokenIn(form.text),
    })
    assert.equal(answer.location, location)
  }
})

test('guessing is slowed down per user name, and the right password waits too', async () => {
  const victim = await createPerson(database, await createSchool(database.admin))
  const browser = browse(web)
  for (let i = 0; i < 10; i++) assert.equal((await signIn(browser, { ...victim, password: `guess ${i}` })).status, 401)
  const answer = await signIn(browser, victim)
  assert.equal(answer.status, 429)
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
})

test('a session ends after twelve hours', async () => {
  let now = new Date('2026-11-21T08:00:00Z')
  const timed = await startWeb(database, { clock: () => now })
  const browser = browse(timed)
  await signIn(browser, person)
  assert.equal((await browser.get('/')).status, 200)
  now = new Date('2026-11-21T20:00:01Z')
  assert.equal((await browser.get('/')).location, '/sign-in')
  await timed.close()
})

test('guesses sent all at once are counted like one after another', async () => {
  const victim = await createPerson(database, await createSchool(database.admin))
  const own = await startWeb(database)
  const browser = browse(own)
  const token = tokenIn((await browser.get('/sign-in')).text)
  const guess = () => browser.post('/sign-in', { username: victim.username, password: 'guess', _token: token })
  const answers = await Promise.all(Array.from({ length: 30 }, guess))
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
  assert.equal(answers.filter(({ status }) => status === 429).length, 20)
  await own.close()
})

test('nobody who signs in clears away the sessions of a whole day: each of them costs a moment, and the purge has its own', async () => {
  const school = await createSchool(database.admin)
  const late = await createPerson(database, school)
  await database.admin.query(
    `insert into core.sessions (token_hash, tenant_id, account_id, csrf_secret, created_at, expires_at)
      select sha256(n::text::bytea), a.tenant_id, a.id, '', '2026-01-01', '2026-01-02'
      from core.accounts a, generate_series(1, 100) n where a.username = $1`,
    [late.username],
  )
  assert.equal((await signIn(browse(web), late)).status, 303)
  const { rows } = await database.admin.query(
    `select count(*)::int as old from core.sessions where expires_at = '2026-01-02'`,
  )
  assert.equal(rows[0].old, 100)
})
