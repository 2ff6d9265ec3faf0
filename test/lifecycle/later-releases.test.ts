import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { writeModule } from '../host/module-folder.ts'
import { temporaryFolder } from '../host/started-host.ts'
import { pageOf, sourceOf, startPlatform } from './support.ts'

const sources = temporaryFolder()
const { operator, ask, database, stop } = await startPlatform()
after(async () => {
  await stop()
  sources.remove()
})

/** Files of `migrations/` by their names. */
type Migrations = Record<string, string>
let folders = 0
const source = (slug: string, version: string, migrations: Migrations, code = pageOf(version)) => {
  const files = Object.entries(migrations).map(([name, text]) => [`migrations/${name}.sql`, text])
  const whole = { 'src/index.ts': code, ...Object.fromEntries(files) }
  return sourceOf(writeModule(`${sources.path}/${folders++}`, slug, whole, { version }))
}
async function publish(slug: string, version: string, migrations: Migrations, code?: string): Promise<void> {
  const { status, body } = await ask('/publish', { ...source(slug, version, migrations, code), approve: true })
  assert.equal(status, 200, JSON.stringify(body))
}
const base = { '2026_01_01_000001_base': 'create table notes (id text primary key, body text not null);' }
const reading = pageOf('1.0.0')
  .replace('html }', 'html, sql }')
  .replace('async () => html', 'async ({ db }) => (await db.rows(sql`select body from notes`), html')
  .replace('</p>`', '</p>`)')
const colour = { '2026_01_02_000001_colour': 'alter table notes add column colour text;' }
const size = { '2026_01_03_000001_size': 'alter table notes add column size integer;' }

test('a version without a migration that is applied is told so by its review, and can be rejected', async () => {
  await publish('back', '1.0.0', base)
  await publish('back', '1.1.0', { ...base, ...colour })
  assert.equal((await operator('/apps/back/rollback', {})).status, 200)
  const without = source('back', '1.2.0', { ...base, ...size })
  assert.equal((await ask('/publish', { ...without, approve: true })).status, 422)
  assert.equal((await ask('/publish', { ...without, submit: true })).status, 200)
  const version = '/apps/back/versions/1.2.0'
  const review = await operator(`${version}/start-review`, {})
  const [finding] = review.body.version.findings
  assert.deepEqual([review.status, finding.rule, finding.file], [200, 'changed', 'migrations/2026_01_02_000001_colour'])
  assert.equal((await operator(`${version}/approve`, {})).status, 422)
  assert.equal((await operator(`${version}/reject`, { comment: 'put it back' })).status, 200)
  assert.equal((await operator(`${version}/reopen`, {})).status, 200)
  await publish('back', '1.2.0', { ...base, ...colour, ...size })
})

test('a column that a version of some school names stays; once none does, it may go', async () => {
  await publish('drops', '1.0.0', base, reading)
  const without = { ...base, '2026_01_02_000001_drop': 'alter table notes drop column body;' }
  const early = await ask('/publish', { ...source('drops', '1.1.0', without), approve: true })
  assert.deepEqual([early.status, early.body.report.findings[0].rule], [422, 'dropped-column'])
  await publish('drops', '1.1.0', base)
  await publish('drops', '1.2.0', without)

  const first = await operator('/apps/drops/rollback', {})
  assert.deepEqual([first.status, first.body.version], [200, '1.1.0'], JSON.stringify(first.body))
  const further = await operator('/apps/drops/rollback', {})
  assert.deepEqual(
    [further.status, further.body.errors],
    [422, { version: ['1.0.0 uses what a later release dropped (notes.body): publish a new version instead'] }],
  )
})

test('a roll-back waits for what is being published, and is refused by what that dropped, though it ended before it said so', async () => {
  await publish('dropping', '1.0.0', base, reading)
  await publish('dropping', '1.1.0', base)
  const lock = [7_413, 'dropping']
  await database.query('select pg_advisory_lock($1, hashtext($2))', lock)
  const answer = operator('/apps/dropping/rollback', {})
  await untilItWaits(answer)
  await database.query('alter table m_dropping.notes drop column body')
  await database.query('select pg_advisory_unlock($1, hashtext($2))', lock)
  const { status, body } = await answer
  assert.deepEqual(
    [status, body.errors],
    [422, { version: ['1.0.0 uses what a later release dropped (notes.body): publish a new version instead'] }],
  )
})

test('a roll-back that names no version takes back the one that was published when it was asked for', async () => {
  await publish('meant', '1.0.0', {})
  await publish('meant', '1.1.0', {})
  const lock = [7_413, 'meant']
  await database.query('select pg_advisory_lock($1, hashtext($2))', lock)
  const answer = operator('/apps/meant/rollback', {})
  await untilItWaits(answer)
  await database.query(`update core.app_versions v set state = 'approved', published_at = null from core.apps a
    where a.id = v.app_id and a.slug = 'meant' and v.version = '1.1.0'`)
  await database.query('select pg_advisory_unlock($1, hashtext($2))', lock)
  const { status, body } = await answer
  assert.deepEqual([status, body.error], [409, 'invalid_state'])
})

/** For the lock of an app, unless it is answered before that. */
async function untilItWaits(answer: Promise<unknown>): Promise<void> {
  let isAnswered = false
  void answer.finally(() => (isAnswered = true))
  const waiting = `select from pg_locks where locktype = 'advisory' and classid = 7413 and not granted`
  while (!isAnswered && !(await database.query(waiting)).rowCount) await new Promise((done) => setTimeout(done, 5))
}

test('what was tried in the sandbox only, and is no file any more, stands in the way of no release', async () => {
  const dev = await ask('/dev', source('ahead', '1.0.0', { '2026_01_01_000009_base': base['2026_01_01_000001_base'] }))
  assert.equal(dev.status, 200, JSON.stringify(dev.body))
  await publish('ahead', '1.0.0', { '2026_01_02_000001_base': base['2026_01_01_000001_base'] })
  const wrong = {
    '2026_01_03_000001_wrong': `create table wrong (id text primary key); insert into wrong values ('1', 1)`,
  }
  const { status, body } = await ask('/dev', source('ahead', '1.1.0', wrong))
  assert.deepEqual([status, /\(in the sandbox\)$/.test(body.message)], [422, true], JSON.stringify(body))
})

test('data of a school that uninstalled the app is mended with that of the others, until it is erased', async () => {
  await publish('held', '1.0.0', base)
  const tenant = '01J00000000000000000000077'
  await database.query(`insert into core.tenants (id, name, country_code) values ($1, 'Live', 'SA')`, [tenant])
  assert.equal((await ask('/install', { slug: 'held', tenant })).status, 200)
  await database.query(`insert into m_held.notes (id, body, tenant_id) values ('1', 'bad', $1)`, [tenant])
  assert.equal((await ask('/uninstall', { slug: 'held', tenant })).status, 200)
  await publish('held', '1.1.0', {
    ...base,
    '2026_01_02_000001_clean': `update notes set body = 'good' where body = 'bad';`,
    '2026_01_03_000001_check': `alter table notes add constraint good check (body <> 'bad');`,
  })
})

test('what its author tries in the sandbox runs there, also where the app had been stopped', async () => {
  assert.equal((await ask('/dev', source('stopped', '1.0.0', {}))).status, 200)
  const stopped = await database.query(`update core.installations i set status = 'disabled',
    disabled_reason = 'stopped after three failures in ten minutes' from core.apps a where a.id = i.app_id and a.slug = 'stopped'`)
  assert.equal(stopped.rowCount, 1)
  assert.equal((await ask('/dev', source('stopped', '1.0.1', {}))).status, 200)
  const { body } = await ask('/invoke', { slug: 'stopped' })
  assert.match(body.text ?? JSON.stringify(body), /1\.0\.1/)
})

test('a draft or an app that an installation still names is not deleted, until that is erased', async () => {
  assert.equal((await ask('/dev', source('named', '1.0.0', {}))).status, 200)
  const [{ version }] = (await operator('/apps/named/versions')).body.data
  const paths = [`/apps/named/versions/${encodeURIComponent(version)}`, '/apps/named']
  const remove = async () => {
    const answers = await Promise.all(paths.map((path) => operator(path, undefined, 'DELETE')))
    return answers.map(({ status, body }) => [status, body?.error])
  }
  const refused = paths.map(() => [409, 'delete_blocked_by_installs'])
  assert.deepEqual(await remove(), refused)
  const { id: tenant } = (await ask('/sandbox')).body.tenants[0]
  assert.equal((await ask('/uninstall', { slug: 'named', tenant })).status, 200)
  assert.deepEqual(await remove(), refused)
})
