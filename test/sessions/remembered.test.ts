import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createCookies } from '../../host/sessions/cookies.ts'
import { createCurrentSession } from '../../host/sessions/current-session.ts'
import { createSessionStore, type Session } from '../../host/sessions/session-store.ts'
import { browse, createPerson, installModule, type Person, scriptedGuest, signIn, tokenIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type School } from '../support/school.ts'
import { startWeb, testWebContext, type TestWeb } from '../support/web.ts'

/** A store that tells which host names it was asked for, and answers at once where there is an answer. */
function countedStore({ system }: ReturnType<typeof testWebContext>) {
  const store = createSessionStore(system, () => new Date())
  const looks = { asked: [] as string[], answer: null as Session | null }
  const find = async (cookie: string, host: string) => {
    looks.asked.push(host)
    return looks.answer ?? store.find(cookie, host)
  }
  return { looks, store: { ...store, find } }
}

// Two web processes, as a browser meets them behind one port: each remembers on its own.
let database: TestDatabase
let [one, other]: TestWeb[] = []
let school: School
let person: Person
const guest = scriptedGuest()

before(async () => {
  database = await createTestDatabase()
  one = await startWeb(database, { moduleCalls: guest })
  other = await startWeb(database, { moduleCalls: guest })
  school = await createSchool(database.admin)
  await installModule(database, school, 'library')
})
beforeEach(async () => {
  person = await createPerson(database, school)
})
after(async () => {
  await one?.close()
  await other?.close()
  await database?.drop()
})

/** Somebody signed in, whom both processes have met and remember. */
async function signedInAtBoth() {
  const here = browse(one!)
  await signIn(here, person)
  const there = browse(other!)
  there.cookie = here.cookie
  for (const browser of [here, there, here, there]) assert.equal((await browser.get('/m/library')).status, 200)
  return { here, there }
}

test('signing out at one web process ends the session at every other', async () => {
  const { here, there } = await signedInAtBoth()
  const cookie = here.cookie
  await here.post('/sign-out', { _token: tokenIn((await here.get('/')).text) })
  here.cookie = cookie
  for (const browser of [there, here]) assert.equal((await browser.get('/')).location, '/sign-in')
})

for (const [what, sql, role] of [
  ['a changed role', `update core.employees set roles = '{librarian}' where id = $1`, 'librarian'],
  ['that somebody is employed no more', 'delete from core.employees where id = $1', undefined],
  [
    'that an account is no employee’s any more',
    'update core.accounts set person_id = null where person_id = $1',
    undefined,
  ],
] as const)
  test(`${what} reaches the calls of modules within a moment`, async () => {
    const { there } = await signedInAtBoth()
    assert.deepEqual(guest.asked.at(-1)!.viewer!.roles, ['teacher'])
    await database.admin.query(sql, [person.personId])
    const seen = async () => {
      await there.get('/m/library')
      return guest.asked.at(-1)!.viewer?.roles[0]
    }
    for (const end = Date.now() + 5_000; (await seen()) !== role; ) assert.ok(Date.now() < end, 'never')
  })

test('a host name that another school registers signs nobody of this school in any more', async () => {
  const { here } = await signedInAtBoth()
  const stranger = await createSchool(database.admin)
  await database.admin.query('insert into core.tenant_hosts (host, tenant_id) values ($1, $2)', [
    new URL(one!.url).hostname,
    stranger.id,
  ])
  try {
    for (const end = Date.now() + 5_000; (await here.get('/')).status === 200; ) assert.ok(Date.now() < end, 'never')
  } finally {
    await database.admin.query('delete from core.tenant_hosts')
  }
})

test('who asks under made-up host names pushes nobody else’s session out of memory', async (t) => {
  const context = testWebContext(database)
  t.after(() => context.close())
  const { store, looks } = countedStore(context)
  const epoch = { current: () => 1, changed: () => 0 }
  const sessions = createCurrentSession({ store, clock: () => new Date(), cookies: createCookies(undefined), epoch })
  const { rows } = await database.admin.query('select id from core.accounts where username = $1', [person.username])
  const open = () => store.open({ tenantId: school.id, accountId: rows[0].id })
  const [cookie, loud] = [await open(), await open()]
  const at = (partner_session: string, hostname: string) =>
    sessions.of({ cookies: { partner_session }, hostname, protocol: 'http' } as unknown as FastifyRequest)
  assert.ok(await at(cookie, 'own.example'))
  // As if it had found them in the database: so many look-ups would take a minute.
  looks.answer = await at(loud, 'own.example')
  for (let name = 0; name < 20_001; name++) assert.ok(await at(loud, `${name}.example`))
  looks.answer = null
  assert.ok(await at(cookie, 'own.example'))
  assert.equal(looks.asked.at(-1), '20000.example')
})

test('a session is remembered for its host name alone, however that is written, and not beyond its end', async (t) => {
  const context = testWebContext(database)
  t.after(() => context.close())
  let now = new Date('2026-11-21T08:00:00Z')
  const clock = () => now
  const store = createSessionStore(context.system, clock)
  const sessions = createCurrentSession({
    store,
    clock,
    cookies: createCookies(undefined),
    epoch: { current: () => 1, changed: () => 0 },
  })
  const { rows } = await database.admin.query('select id from core.accounts where username = $1', [person.username])
  const cookie = await store.open({ tenantId: school.id, accountId: rows[0].id })
  const stranger = await createSchool(database.admin)
  const hosts = 'insert into core.tenant_hosts (host, tenant_id) values ($1, $2)'
  await database.admin.query(hosts, ['strangers.example', stranger.id])
  t.after(() => database.admin.query('delete from core.tenant_hosts'))
  const at = async (hostname: string) =>
    (await sessions.of({
      cookies: { partner_session: cookie },
      hostname,
      protocol: 'http',
    } as unknown as FastifyRequest)) !== null
  assert.equal(await at('own.example'), true)
  for (const host of ['strangers.example', 'Strangers.Example', 'strangers.example.', 'h'.repeat(254)])
    assert.equal(await at(host), false, host)
  now = new Date('2026-11-21T19:59:59Z')
  assert.equal(await at('own.example'), true)
  now = new Date('2026-11-21T20:00:00Z')
  assert.equal(await at('own.example'), false)
  assert.equal(await store.find(cookie, 'own.example'), null)
})
