import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type CoreDatabase, createCoreDatabase } from '../../host/database/core-database.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { newToken, parseToken } from '../../host/security/installation-token.ts'
import { createRemembered } from '../../host/security/remembered.ts'
import { createTenantChanges } from '../../host/security/tenant-changes.ts'
import { rotateToken, type TokenContext } from '../../host/security/tokens.ts'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { sql } from '../../partner-services/service/sql.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let webs: TestWeb[]
let core: CoreDatabase
let context: TokenContext
let now = new Date('2026-11-21T07:00:00Z')

before(async () => {
  database = await createTestDatabase()
  webs = await Promise.all([0, 1, 2].map(() => startWeb(database, { clock: () => now })))
  await database.admin.query('create table core.noted_events (name text, data jsonb)')
  await database.admin.query('grant all on core.noted_events to partner_core')
  core = createCoreDatabase({
    connection: database.connection.core,
    poolSize: 2,
    writeEvent: (_, { name, data }) => [sql`insert into core.noted_events values (${name}, ${JSON.stringify(data)})`],
  })
  const systemPool = new pg.Pool({ ...database.connection.system, max: 2 })
  context = { database: core, systemPool, cipher: createCipher(testHostKey), clock: () => now }
})

after(async () => {
  await Promise.all((webs ?? []).map((web) => web.close()))
  await core?.close()
  await context?.systemPool.end()
  await database?.drop()
})

const statuses = (token: string) =>
  Promise.all(webs.map(async (web) => (await web.call('/apps/whoami', { token })).status))

test('a token has its form, and a typing error in any place is noticed without a look-up', () => {
  const token = newToken('live')
  assert.match(token, /^pit_live_[0-9A-Za-z]{46}$/)
  assert.deepEqual(parseToken(token), { environment: 'live' })
  for (let at = 9; at < token.length; at++) {
    const typed = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1)
    assert.equal(parseToken(typed), null)
  }
})

test('a token is stored as a hash and encrypted, never as it is', async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  const token = await rotateToken(context, app)
  const { rows } = await database.admin.query(
    'select t::text as row, token_encrypted from core.installation_tokens t where installation_id = $1',
    [app.installationId],
  )
  const hex = Buffer.from(token).toString('hex')
  for (const { row } of rows) assert.ok(!row.includes(token) && !row.includes(hex))
  const opened = rows.map((row) =>
    context.cipher.decrypt(app.tenantId, 'installation_token', row.token_encrypted).toString(),
  )
  assert.deepEqual(opened.sort(), [app.token, token].sort())
})

test('a revocation is in force on every process when it returns', async () => {
  for (let round = 0; round < 10; round++) {
    const app = await installApp(database.admin, await createSchool(database.admin))
    assert.deepEqual(await statuses(app.token), [200, 200, 200])
    const token = await rotateToken(context, app, { oldTokens: 'revoked' })
    assert.deepEqual(await statuses(app.token), [401, 401, 401])
    assert.deepEqual(await statuses(token), [200, 200, 200])
  }
})

test('an installation that is stopped or gone has no token that is served, and one that is gone gets no new one', async () => {
  const { admin } = database
  for (const status of ['disabled', 'uninstalled']) {
    const app = await installApp(admin, await createSchool(admin))
    await admin.query('update core.installations set status = $2 where id = $1', [app.installationId, status])
    assert.deepEqual(await statuses(app.token), [401, 401, 401], status)
    if (status === 'uninstalled') await assert.rejects(rotateToken(context, app), NotFoundException)
    // What leaked must not be served again once the app is let in.
    else assert.deepEqual(await statuses(await rotateToken(context, app)), [401, 401, 401])
  }
})

test('what is read while its tenant changes is used once and not remembered, nor is anything for longer than its time', async () => {
  const changes = createTenantChanges()
  let at = 0
  const epoch = { current: changes.count, changed: changes.of }
  const remembering = { tenantOf: () => 'tenant', lifetime: 1_000, entries: 2, clock: () => new Date(at) }
  const known = createRemembered<string>(epoch, remembering)
  const old = await known.recall('a', async () => {
    changes.add(['tenant'])
    return 'old'
  })
  assert.deepEqual([old, known.peek('a')], ['old', undefined])
  await known.recall('a', async () => 'new')
  assert.equal(known.peek('a'), 'new')
  at = 1_000
  assert.equal(known.peek('a'), undefined)
  for (const key of ['b', 'c', 'd']) await known.recall(key, async () => key)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].filter((key) => known.peek(key)),
    ['c', 'd'],
  )
  changes.add(['another'])
  assert.equal(known.peek('d'), 'd')
  changes.add(null)
  assert.equal(known.peek('d'), undefined)
})

test('of the changes of ten thousand tenants each is told; of more, everybody has changed', () => {
  const changes = createTenantChanges()
  const many = Array.from({ length: 10_000 }, (_, number) => `tenant ${number}`)
  changes.add(many)
  assert.deepEqual([changes.of('tenant 9999'), changes.of('another')], [1, 0])
  changes.add(['one more'])
  assert.deepEqual([changes.of('tenant 9999'), changes.of('another')], [2, 2])
})

test('requests that race with a revocation leave nothing behind that serves the token', async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  let revoked = false
  const late: number[] = []
  const hammer = async (web: TestWeb) => {
    for (let after = 0; after < 20; ) {
      const began = revoked
      const { status } = await web.call('/apps/whoami', { token: app.token })
      if (!began) continue
      late.push(status)
      after++
    }
  }
  const revoking = rotateToken(context, app, { oldTokens: 'revoked' }).then(() => {
    revoked = true
  })
  await Promise.all([...webs.map(hammer), revoking])
  assert.deepEqual(new Set(late), new Set([401]))
})

test('a changed grant and a disabled app take effect too, whoever changed them', async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  const { token, installationId } = app
  const until = async (expected: number, path: string) => {
    const deadline = Date.now() + 1_500
    for (;;) {
      const answers = await Promise.all(webs.map((web) => web.call(path, { token })))
      if (answers.every(({ status }) => status === expected)) return
      assert.ok(Date.now() < deadline, `not ${expected} in time`)
    }
  }
  await until(200, '/apps/education/grades')
  await database.admin.query(`update core.installations set granted_scopes = '{}' where id = $1`, [installationId])
  await until(403, '/apps/education/grades')
  await database.admin.query(`update core.apps set disabled_reason = 'strikes' where slug = $1`, [app.slug])
  await until(401, '/apps/whoami')
})

test('a write whose body is still on its way has the scopes that are granted when it has come', async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  const [web] = webs as [TestWeb]
  assert.equal((await web.call('/apps/education/grades', { token: app.token })).status, 200)
  const sent = request(`${web.url}/apps/education/grades`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json', expect: '100-continue' },
  })
  const answered = new Promise<number>((resolve, reject) => {
    sent.once('error', reject).once('response', (answer) => resolve(answer.resume().statusCode!))
  })
  await new Promise((accepted) => sent.once('continue', accepted))
  await database.admin.query(`update core.installations set granted_scopes = '{education.grades.read}' where id = $1`, [
    app.installationId,
  ])
  while ((await web.call('/apps/whoami', { token: app.token })).body.scopes.length > 1);
  sent.end('{"name":"Too late"}')
  assert.equal(await answered, 403)
})

test('after a rotation the old token lives 15 more minutes, and an external app is told the new one', async () => {
  const app = await installApp(database.admin, await createSchool(database.admin))
  assert.deepEqual(await statuses(app.token), [200, 200, 200])
  const token = await rotateToken(context, app)
  assert.deepEqual(await statuses(token), [200, 200, 200])
  const { rows } = await database.admin.query(
    `select name, data from core.noted_events where data ->> 'new_token' = $1`,
    [token],
  )
  assert.deepEqual(rows, [{ name: 'partner.installation.token_rotated', data: { new_token: token } }])
  const rotatedAt = now
  now = new Date(rotatedAt.getTime() + 15 * 60_000 - 1)
  assert.deepEqual(await statuses(app.token), [200, 200, 200])
  await rotateToken(context, app)
  now = new Date(rotatedAt.getTime() + 15 * 60_000)
  assert.deepEqual(await statuses(app.token), [401, 401, 401])
  assert.deepEqual(await statuses(token), [200, 200, 200])
})

test('the sandbox takes test tokens only, and the live address takes both', async () => {
  const school = await createSchool(database.admin, { sandbox: true })
  const live = await installApp(database.admin, school)
  const trial = await installApp(database.admin, school, { environment: 'test' })
  const status = async (path: string, token: string) => (await webs[0]!.call(path, { token })).status
  // The second time it is remembered.
  for (let time = 0; time < 2; time++) assert.equal(await status('/sandbox/apps/whoami', live.token), 401)
  assert.equal(await status('/sandbox/apps/whoami', trial.token), 200)
  assert.equal(await status('/apps/whoami', trial.token), 200)
})
