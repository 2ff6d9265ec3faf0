import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { writeModule } from '../host/module-folder.ts'
import { runPartner, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { embeddedSuperuser } from '../host/embedded-superuser.ts'
import { operatorToken, pageOf, type Portal, portalOf } from './support.ts'

const [folder, sources] = [temporaryFolder(), temporaryFolder()]
let host: StartedHost
let operator: Portal
let tenant: string
let database: pg.Client

before(async () => {
  host = await startHostProcess(folder.path)
  operator = portalOf(host, operatorToken(host))
  tenant = (await partner<{ tenants: { id: string }[] }>('sandbox')).tenants[0]!.id
  database = new pg.Client(embeddedSuperuser(folder.path))
  await database.connect()
})
after(async () => {
  await database?.end()
  await host?.stop()
  folder.remove()
  sources.remove()
})

type Refusal = { message: string; findings: { rule: string; file: string; line: number; message: string }[] }

async function run<Answer>(...args: string[]): Promise<{ code: number | null; answer: Answer; stderr: string }> {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  return { code, answer: JSON.parse(stdout.trim().split('\n').at(-1) || 'null') as Answer, stderr }
}
async function partner<Answer>(...args: string[]): Promise<Answer> {
  const { code, answer, stderr } = await run<Answer>(...args)
  assert.equal(code, 0, stderr + JSON.stringify(answer))
  return answer
}
const write = (slug: string, version: string, files: Record<string, string>) =>
  writeModule(sources.path, slug, { 'src/index.ts': pageOf(`${slug} ${version}`), ...files }, { version })
const publish = (slug: string, version: string, files: Record<string, string> = {}) =>
  run<Refusal>('publish', write(slug, version, files), '--approve')
const shown = async (slug: string) =>
  (await run<{ status: number; text?: string; error?: string; log: { message: string }[] }>('invoke', slug)).answer
async function installed(slug: string, version = '1.0.0', files: Record<string, string> = {}): Promise<void> {
  const { code, answer } = await publish(slug, version, files)
  assert.equal(code, 0, JSON.stringify(answer))
  await partner('install', slug, '--tenant', tenant, '--yes')
}

const first = 'migrations/2026_01_01_000001_things.sql'
const things = 'create table things (id char(26) primary key, name text not null);'

test('a version with a bundle, migrations and a signature serves; rolling back serves the one before, tables untouched', async () => {
  await installed('shop', '1.0.0', { [first]: things })
  assert.match((await shown('shop')).text ?? '', /shop 1\.0\.0/)
  const second = 'migrations/2026_01_02_000001_more.sql'
  const { code } = await publish('shop', '1.1.0', { [second]: 'alter table things add column note text;' })
  assert.equal(code, 0)
  assert.match((await shown('shop')).text ?? '', /shop 1\.1\.0/)
  const rolled = await partner<object>('rollback', 'shop')
  assert.deepEqual(rolled, { version: '1.0.0', rolled_back: '1.1.0', moved: 1 })
  assert.match((await shown('shop')).text ?? '', /shop 1\.0\.0/)
  const status = await partner<{ migrations: { live: unknown[] } }>('migrations', 'status', 'shop')
  assert.equal(status.migrations.live.length, 2)
  assert.equal((await run('rollback', 'shop')).code, 1, 'there is none before')
  assert.equal((await operator('/apps/shop/versions/1.1.0/publish', {})).status, 200, 'it can come back')
  assert.match((await shown('shop')).text ?? '', /shop 1\.1\.0/)
})

test('a migration that breaks the version schools run is refused by name, and that version goes on', async () => {
  await installed('breaks', '1.0.0', { [first]: things })
  const second = 'migrations/2026_01_02_000001_drop.sql'
  const { code, answer } = await publish('breaks', '1.1.0', { [second]: '\nalter table things drop column name;' })
  assert.equal(code, 1)
  assert.deepEqual([answer.findings[0]!.file, answer.findings[0]!.line], [second, 2])
  assert.match((await shown('breaks')).text ?? '', /breaks 1\.0\.0/)
  assert.equal((await operator('/apps/breaks')).body.app.versions.length, 1)
})

test('a migration that fails on the way leaves the version before in place, and the version approved', async () => {
  await installed('fails', '1.0.0', { [first]: things })
  const second = 'migrations/2026_01_02_000001_fails.sql'
  const { code, answer } = await publish('fails', '1.1.0', {
    [second]: `alter table things add constraint short check (name = 'x'); create table more (id char(26) primary key, n int check (n / 0 > 1) default 1/0);`,
  })
  assert.equal(code, 1, JSON.stringify(answer))
  assert.match((await shown('fails')).text ?? '', /fails 1\.0\.0/)
})

for (const [what, statement] of [
  ['unsigned', `update core.app_versions set signature = null where id = $1`],
  [
    'altered',
    `update core.app_bundles set code = code || ' ' where hash = (select bundle_hash from core.app_versions where id = $1)`,
  ],
  [
    'labelled with another manifest',
    `update core.app_versions set manifest = jsonb_set(manifest, '{egress}', '[{"host":"evil.example"}]') where id = $1`,
  ],
  ['labelled as another version', `update core.app_versions set version = '9.9.9' where id = $1`],
  [
    'labelled with another app’s code',
    `update core.app_versions set bundle_hash = (select bundle_hash from core.app_versions v join core.apps a on a.id = v.app_id
      where a.slug = 'shop' limit 1) where id = $1`,
  ],
  ['labelled as reviewed', `update core.app_versions set review_verdict = 'sandbox' where id = $1`],
] as const) {
  test(`a version that is ${what} is not loaded: its user sees a plain refusal`, async () => {
    const slug = `bad_${what.replace(/\W+/g, '_')}`
    const { code, answer } = await publish(slug, '1.0.0')
    assert.equal(code, 0, JSON.stringify(answer))
    const { rows } = await database.query<{ id: string }>(
      'select v.id from core.app_versions v join core.apps a on a.id = v.app_id where a.slug = $1',
      [slug],
    )
    await database.query(statement, [rows[0]!.id])
    await partner('install', slug, '--tenant', tenant, '--yes')
    const refused = await shown(slug)
    assert.deepEqual([refused.status, refused.error, refused.text], [500, 'internal', undefined])
    assert.match(refused.log.map(({ message }) => message).join('\n'), /load_failed/)
  })
}

test('a publisher that is killed while it publishes leaves all as it was, and publishing again is enough', async () => {
  await installed('killed', '1.0.0', { [first]: things })
  const slow = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `migrations/2026_02_01_${String(n).padStart(6, '0')}_step.sql`,
      `create table step_${n} (id char(26) primary key);`,
    ]),
  )
  const dir = write('killed', '1.1.0', slow)
  await partner('publish', dir)
  await operator('/apps/killed/versions/1.1.0/start-review', {})
  await operator('/apps/killed/versions/1.1.0/approve', {})
  const publishing = operator('/apps/killed/versions/1.1.0/publish', {})
  await firstMigrationOf('m_killed', '2026_02_01_000000')
  process.kill(publisherOf(host.process.pid!), 'SIGKILL')
  const { status } = await publishing
  assert.equal(status, 503)
  assert.equal((await operator('/apps/killed/versions/1.1.0')).body.version.state, 'approved')
  assert.match((await shown('killed')).text ?? '', /killed 1\.0\.0/)
  const again = await operator('/apps/killed/versions/1.1.0/publish', {})
  assert.equal(again.status, 200, JSON.stringify(again.body))
  assert.match((await shown('killed')).text ?? '', /killed 1\.1\.0/)
})

/** Until the live schema has it: the publisher is in the middle of its work then. */
async function firstMigrationOf(schema: string, version: string): Promise<void> {
  for (;;) {
    const { rowCount } = await database.query('select from module_host.history where schema = $1 and version = $2', [
      schema,
      version,
    ])
    if (rowCount) return
  }
}

function publisherOf(supervisor: number): number {
  const processes = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n')
  const parents = new Set([supervisor])
  for (const line of processes) {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number)
    if (parents.has(ppid!)) parents.add(pid!)
    if (parents.has(ppid!) && line.includes('publishing/main.ts')) return pid!
  }
  throw new Error('no publisher')
}
