import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { networkOf } from '../../host/sessions/network.ts'
import { createSignInThrottle } from '../../host/sessions/sign-in-throttle.ts'
import { browse, createPerson, signIn } from '../pages/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, testWebContext } from '../support/web.ts'

let database: TestDatabase
let context: ReturnType<typeof testWebContext>
let now = new Date('2026-11-21T08:00:00Z')

before(async () => {
  database = await createTestDatabase()
  context = testWebContext(database)
})
after(async () => {
  await context?.close()
  await database?.drop()
})

const throttle = () => createSignInThrottle({ system: context.system, key: Buffer.alloc(32), clock: () => now })
const from = (username: string, address: string, device: string | null = null) => ({ username, address, device })
const times = <Result>(count: number, act: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))

test('guesses spread over two web processes, all at once, are ten, not twenty', async (t) => {
  const victim = await createPerson(database, await createSchool(database.admin))
  const webs = [await startWeb(database), await startWeb(database)]
  t.after(() => Promise.all(webs.map((web) => web.close())))
  const browsers = webs.map((web) => browse(web))
  const answers = await times(24, (index) => signIn(browse(webs[index % 2]!), { ...victim, password: 'guess' }))
  assert.deepEqual(
    [401, 429].map((status) => answers.filter((answer) => answer.status === status).length),
    [10, 14],
  )
  assert.equal((await signIn(browsers[1]!, victim)).status, 429, 'the right password waits too, in every process')
})

test('ten attempts at one name pass; waiting ones are not counted for the network either', async () => {
  const waits = await times(60, () => throttle().attempt(from('mona', '198.51.100.1')))
  assert.equal(waits.filter((wait) => wait === 0).length, 10)
  const others = await times(310, (index) => throttle().attempt(from(`other ${index}`, '198.51.100.1')))
  assert.equal(others.filter((wait) => wait === 0).length, 290, 'three hundred in all from one network')
  assert.equal(Math.max(...others), 15 * 60)
})

test('addresses that one IPv6 customer has to himself count as one network', async () => {
  const waits = await times(310, (index) => throttle().attempt(from(`guest ${index}`, `2001:db8:5:6::${index + 1}`)))
  assert.equal(waits.filter((wait) => wait === 0).length, 300)
})

test('a success takes its own attempt back, and no other', async () => {
  for (let attempt = 0; attempt < 30; attempt++) {
    assert.equal(await throttle().attempt(from('huda', '198.51.100.2')), 0)
    await throttle().succeeded(from('huda', '198.51.100.2'))
  }
  await times(9, () => throttle().attempt(from('huda', '198.51.100.2')))
  assert.equal(await throttle().attempt(from('huda', '198.51.100.2')), 0)
  assert.ok((await throttle().attempt(from('huda', '198.51.100.2'))) > 0)
})

test('a teacher whose name a pupil guesses at signs in from her own browser all the same', async (t) => {
  const school = await createSchool(database.admin)
  const [teacher, pupil] = [await createPerson(database, school), await createPerson(database, school)]
  const web = await startWeb(database)
  t.after(() => web.close())
  const [hers, his] = [browse(web), browse(web)]
  assert.equal((await signIn(hers, teacher)).status, 303)
  assert.equal((await signIn(his, pupil)).status, 303)
  const guesses = await times(12, () => signIn(his, { ...teacher, password: 'guess' }))
  assert.equal(
    guesses.filter(({ status }) => status === 401).length,
    10,
    'a browser that knows somebody else is none of hers',
  )
  assert.equal((await signIn(browse(web), teacher)).status, 429)
  assert.equal((await signIn(hers, teacher)).status, 303)
})

test('after a quarter of an hour one may try again, and rows of windows that are over go', async () => {
  await times(10, () => throttle().attempt(from('salma', '198.51.100.3')))
  now = new Date(now.getTime() + 15 * 60_000 + 1)
  assert.equal(await throttle().attempt(from('salma', '198.51.100.3')), 0)
  await times(200, (index) => throttle().attempt(from(`new ${index}`, `203.0.113.${index}`)))
  const { rows } = await database.admin.query(
    'select count(*)::int as old from core.sign_in_attempts where since < $1',
    [new Date(now.getTime() - 15 * 60_000)],
  )
  assert.equal(rows[0].old, 0)
})

test('a browser that somebody signed in from before is counted by itself: neither guesses nor its network lock them out', async () => {
  const [address, device] = ['198.51.100.4', 'staff-room']
  await times(10, () => throttle().attempt(from('amal', address)))
  await times(290, (index) => throttle().attempt(from(`pupil ${index}`, address)))
  assert.ok((await throttle().attempt(from('nadia', address))) > 0, 'the network is spent')
  assert.equal(await throttle().attempt(from('amal', address, device)), 0)
  await times(9, () => throttle().attempt(from('amal', address, device)))
  assert.ok((await throttle().attempt(from('amal', address, device))) > 0, 'there too ten are ten')
  assert.equal(await throttle().attempt(from('amal', address, 'at home')), 0, 'another browser of hers')
  assert.equal(await throttle().attempt(from('nadia', address, device)), 0, 'another person known to that browser')
})

test('one account begins a hundred sessions in a quarter of an hour, and holds up nobody else', async () => {
  const salma = (address: string, device: string | null = null) => from('salma', address, device)
  for (let session = 0; session < 100; session++) {
    assert.equal(await throttle().attempt(salma('198.51.100.7')), 0)
    await throttle().succeeded(salma('198.51.100.7'))
  }
  for (const attempt of [salma('198.51.100.7'), salma('198.51.100.8'), salma('198.51.100.7', 'at home')])
    assert.equal(await throttle().attempt(attempt), 15 * 60)
  assert.equal(await throttle().attempt(from('sara', '198.51.100.7')), 0)
  now = new Date(now.getTime() + 15 * 60_000)
  assert.equal(await throttle().attempt(salma('198.51.100.7')), 0)
  await throttle().succeeded(salma('198.51.100.7'))
  assert.equal(await throttle().attempt(salma('198.51.100.7')), 0, 'counted anew')
})

test('the table tells neither names nor addresses, and the role that serves one school cannot read it', async () => {
  const { rows } = await database.admin.query('select key from core.sign_in_attempts')
  assert.ok(rows.every(({ key }) => key.length === 32))
  await assert.rejects(context.database.pool.query('select from core.sign_in_attempts'), /permission denied/)
})

test('a name with a NUL is nobody’s, so that no spelling of a name has a count of its own', async (t) => {
  const person = await createPerson(database, await createSchool(database.admin))
  const web = await startWeb(database)
  t.after(() => web.close())
  assert.equal((await signIn(browse(web), { ...person, username: `${person.username}\0` })).status, 422)
  assert.equal((await signIn(browse(web), { ...person, username: 'a'.repeat(201) })).status, 422)
})

test('of an IPv6 address the first 64 bits count, or as many as are asked for', () => {
  assert.equal(networkOf('2001:db8:0:1::5'), networkOf('2001:0db8::1:ffff:2:3:4'))
  assert.notEqual(networkOf('2001:db8:0:1::5'), networkOf('2001:db8:0:2::5'))
  assert.equal(networkOf('::ffff:192.0.2.1'), networkOf('192.0.2.1'))
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('2001:db8:1:2::5', 48), '2001:db8:1::/48')
  assert.equal(networkOf('2001:db8::5', 48), networkOf('2001:db8:0:ffff::', 48))
  assert.equal(networkOf('::ffff:192.0.2.1', 48), '192.0.2.1')
})
