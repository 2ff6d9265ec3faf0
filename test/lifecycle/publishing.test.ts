import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { signIn } from '../host/browser.ts'
import { writeModule } from '../host/module-folder.ts'
import { runPartner, temporaryFolder } from '../host/started-host.ts'
import { type Answer, pageOf, sourceOf, startPlatform } from './support.ts'

const sources = temporaryFolder()
const { host, operator, ask, database, stop } = await startPlatform()
let tenant: string
let administrator: { username: string; password: string }

before(async () => {
  const [school] = (await ask('/sandbox')).body.tenants
  tenant = school.id
  administrator = school.users.find(({ username }: { username: string }) => username === 'administrator')
})
after(async () => {
  await stop()
  sources.remove()
})

type Finding = { rule: string; severity: string; file: string; line: number; message: string }
type Refusal = {
  message: string
  error: string
  errors: Record<string, string[]>
  report: { findings: Finding[] }
}

const write = (slug: string, version: string, files: Record<string, string>) =>
  writeModule(sources.path, slug, { 'src/index.ts': pageOf(`${slug} ${version}`), ...files }, { version })
async function publish(slug: string, version: string, files: Record<string, string> = {}) {
  const { status, body } = await ask('/publish', { ...sourceOf(write(slug, version, files)), approve: true })
  return { status, refusal: body as Refusal }
}
const shown = async (slug: string) => (await ask('/invoke', { slug })).body
async function installed(slug: string, version = '1.0.0', files: Record<string, string> = {}): Promise<void> {
  const { status, refusal } = await publish(slug, version, files)
  assert.equal(status, 200, JSON.stringify(refusal))
  assert.equal((await ask('/install', { slug, tenant })).status, 200)
}

const first = 'migrations/2026_01_01_000001_things.sql'
const things = 'create table things (id char(26) primary key, name text not null);'

test('a version with a bundle, migrations and a signature serves; rolling back serves the one before, tables untouched', async () => {
  await installed('shop', '1.0.0', { [first]: things })
  assert.match((await shown('shop')).text ?? '', /shop 1\.0\.0/)
  const second = 'migrations/2026_01_02_000001_more.sql'
  const { status } = await publish('shop', '1.1.0', { [second]: 'alter table things add column note text;' })
  assert.equal(status, 200)
  assert.match((await shown('shop')).text ?? '', /shop 1\.1\.0/)
  const rollBack = (...of: string[]) => runPartner(['rollback', 'shop', ...of, '--json', '--url', host.url]).ended
  const rolled = await rollBack('1.1.0')
  assert.equal(rolled.code, 0, rolled.stderr)
  assert.deepEqual(JSON.parse(rolled.stdout), { version: '1.0.0', rolled_back: '1.1.0', moved: 2 })
  assert.match((await shown('shop')).text ?? '', /shop 1\.0\.0/)
  assert.equal((await operator('/apps/shop/migrations')).body.migrations.live.length, 2)
  const refusal = (...of: string[]) => rollBack(...of).then(({ code, stdout }) => [code, JSON.parse(stdout).message])
  assert.deepEqual(await refusal('1.1.0'), [1, 'the published version of shop is 1.0.0, not 1.1.0'])
  assert.deepEqual(await refusal(), [1, 'shop has no version before 1.0.0 to go back to'])
  assert.equal((await operator('/apps/shop/versions/1.1.0/publish', {})).status, 200, 'it can come back')
  assert.match((await shown('shop')).text ?? '', /shop 1\.1\.0/)
})

test('a call of an app that the school does not have, or as nobody of the school, says so', async () => {
  assert.equal((await publish('shelved', '1.0.0')).status, 200)
  const refusal = async (call: object) => {
    const { status, body } = await ask('/invoke', call)
    return [status, body.errors]
  }
  const install = `partner install shelved --tenant ${tenant}, or name another --tenant`
  assert.deepEqual(await refusal({ slug: 'shelved' }), [422, { slug: [`shelved is not installed there: ${install}`] }])
  assert.deepEqual(await refusal({ slug: 'library', as: 'nobody' }), [
    422,
    { as: ['the first sandbox school has no user nobody'] },
  ])
})

test('a part of a path reaches its route as it was before the address was encoded, a percent sign too', async () => {
  const source = `import { defineModule, html } from '@partner/sdk'
export default defineModule({ routes: { 'GET /named/:name': ({ params }) => html\`<p>[\${params.name}]</p>\` } })
`
  await installed('named', '1.0.0', { 'src/index.ts': source })
  const browser = await signIn(host.url, administrator)
  for (const name of ['50%', 'a%20b', 'كتب']) {
    const path = `/named/${encodeURIComponent(name)}`
    const { status, text } = await browser.get(`/m/named${path}`)
    assert.deepEqual([status, text.includes(`[${name}]`)], [200, true], name)
    assert.equal((await ask('/invoke', { slug: 'named', target: path })).body.text, `<p>[${name}]</p>`)
  }
  assert.equal((await ask('/invoke', { slug: 'named', target: '/named/50%' })).status, 422)
})

test('what is submitted, and a step out of turn, say which step comes next', async () => {
  const dir = write('waits', '1.0.0', {})
  const cli = (...args: string[]) => runPartner([...args, '--url', host.url]).ended
  const submitted = await cli('publish', dir)
  assert.match(
    submitted.stdout,
    /waits 1\.0\.0: submitted\n {2}next: partner version start-review waits 1\.0\.0 \(a reviewer's\)\n/,
  )
  const early = await cli('version', 'approve', 'waits', '1.0.0')
  assert.deepEqual(
    [early.code, early.stderr.trim()],
    [1, 'partner: version 1.0.0 is submitted, which only start-review leads on from'],
  )
  const absent = await cli('version', 'show', 'waits', '9.0.0')
  assert.equal(absent.stderr.trim(), 'partner: not found: /partners/api/apps/waits/versions/9.0.0')
  const again = await cli('publish', dir, '--approve')
  assert.match(again.stderr, /is submitted and locked: raise it, or go on with partner version start-review/)
})

test('a migration that breaks the version schools run is refused by name, and that version goes on', async () => {
  const second = 'migrations/2026_01_02_000001_drop.sql'
  const reading = pageOf('breaks 1.0.0: things by name')
  await installed('breaks', '1.0.0', { [first]: things, 'src/index.ts': reading })
  const { status, refusal } = await publish('breaks', '1.1.0', { [second]: '\nalter table things drop column name;' })
  const [finding] = refusal.report.findings
  assert.deepEqual([status, finding!.file, finding!.line], [422, second, 2])
  assert.match((await shown('breaks')).text ?? '', /breaks 1\.0\.0/)
  assert.equal((await operator('/apps/breaks')).body.app.versions.length, 1)
})

test('what publishing refuses is told by file and line in `errors`, as in every 422, and whole in its report', async () => {
  const source = `import 'node:fs'\n${pageOf('wrong')}process.exit()\n`
  const { status, refusal } = await publish('wrong', '1.0.0', { 'src/index.ts': source, [first]: 'drop database a;' })
  const { error, errors, report } = refusal
  assert.deepEqual([status, error], [422, 'invalid_data'])
  assert.deepEqual(Object.keys(errors).toSorted(), [`files.${first}`, 'files.src/index.ts'])
  const told = Object.values(errors).flat().toSorted()
  assert.deepEqual(told, report.findings.map(({ line, message }) => `line ${line}: ${message}`).toSorted())
})

test('a migration that fails on the way leaves the version before in place, and the version approved', async () => {
  await installed('fails', '1.0.0', { [first]: things })
  const second = 'migrations/2026_01_02_000001_fails.sql'
  const { status, refusal } = await publish('fails', '1.1.0', {
    [second]: `alter table things add constraint short check (name = 'x'); create table more (id char(26) primary key, n int check (n / 0 > 1) default 1/0);`,
  })
  assert.equal(status, 422, JSON.stringify(refusal))
  assert.match((await shown('fails')).text ?? '', /fails 1\.0\.0/)
})

test('an approved version that a higher one has overtaken is refused before its migrations run', async () => {
  await installed('late', '1.0.0', { [first]: things })
  const second = 'migrations/2026_01_02_000001_late.sql'
  const dir = write('late', '1.1.0', { [second]: 'create table late (id char(26) primary key);' })
  assert.equal((await ask('/publish', { ...sourceOf(dir), submit: true })).status, 200)
  for (const move of ['start-review', 'approve'])
    assert.equal((await operator(`/apps/late/versions/1.1.0/${move}`, {})).status, 200, move)
  rmSync(join(dir, second))
  assert.equal((await publish('late', '1.2.0')).status, 200)
  assert.equal((await operator('/apps/late/versions/1.1.0/publish', {})).status, 422)
  const { live, sandbox } = (await operator('/apps/late/migrations')).body.migrations
  assert.deepEqual([live.length, sandbox.length], [1, 1])
})

test('a review rehearses new migrations on generated rows: locks, rewritten tables and the way back are in its report', async () => {
  await installed('grows', '1.0.0', { [first]: things })
  const rewriting = 'migrations/2026_01_02_000001_times.sql'
  const undone = 'migrations/2026_01_03_000001_notes.php'
  const dir = write('grows', '1.1.0', {
    [rewriting]: 'alter table things add column noted timestamptz default clock_timestamp();',
    [undone]: `<?php return new class extends Migration {
      public function up(): void { Schema::table('things', function (Blueprint $table) { $table->string('note')->nullable(); }); }
      public function down(): void { Schema::table('things', function (Blueprint $table) { $table->dropColumn('note'); }); }
    };`,
  })
  assert.equal((await ask('/publish', { ...sourceOf(dir), submit: true })).status, 200)
  assert.equal((await operator('/apps/grows/versions/1.1.0/start-review', {})).status, 200)
  const { body } = await operator('/apps/grows/versions/1.1.0')
  const { tables, migrations } = body.version.report.rehearsal
  assert.deepEqual(
    tables.map(({ table, rows }: { table: string; rows: number }) => [table, rows]),
    [['things', 1_000]],
  )
  assert.deepEqual(
    migrations.map(({ file, rewritten, error }: Record<string, unknown>) => [`migrations/${file}`, rewritten, error]),
    [
      [rewriting, ['things'], undefined],
      [undone, [], undefined],
    ],
  )
  assert.deepEqual(
    migrations.map(({ locks }: { locks: Record<string, unknown>[] }) =>
      locks.map(({ table, blocks }) => [table, blocks]),
    ),
    [[['things', 'reads and writes']], [['things', 'reads and writes']]],
  )
  assert.match(migrations[1].reverse.join(' '), /drop column "note"/)
  const { rows } = await database.query("select from pg_namespace where nspname like 'r\\_grows%'")
  assert.equal(rows.length, 0, 'the copy is gone')
})

test('a report is about the draft that was submitted: one that changed meanwhile is not in review by it', async () => {
  const dir = write('changes', '1.0.0', {})
  await ask('/publish', { ...sourceOf(dir), submit: true })
  let reviewing = true
  const review = operator('/apps/changes/versions/1.0.0/start-review', {}).finally(() => (reviewing = false))
  while (reviewing) {
    await database.query(`update core.app_versions v set edited_at = clock_timestamp() from core.apps a
      where a.id = v.app_id and a.slug = 'changes'`)
    await new Promise((done) => setTimeout(done, 20))
  }
  const { status, body } = await review
  assert.deepEqual([status, body.error], [409, 'invalid_state'])
  assert.equal((await operator('/apps/changes/versions/1.0.0')).body.version.state, 'submitted')
})

test('a version whose code was altered is not loaded: its user sees a plain refusal', async () => {
  const { status, refusal } = await publish('altered', '1.0.0')
  assert.equal(status, 200, JSON.stringify(refusal))
  await database.query(
    `update core.app_bundles set code = code || ' ' where hash = (select bundle_hash from core.app_versions v
      join core.apps a on a.id = v.app_id where a.slug = 'altered')`,
  )
  await ask('/install', { slug: 'altered', tenant })
  const refused = await shown('altered')
  assert.deepEqual([refused.status, refused.error, refused.text], [500, 'internal', undefined])
  assert.match(refused.log.map(({ message }: { message: string }) => message).join('\n'), /load_failed/)
})

test('a publisher that is killed while it publishes leaves all as it was, and publishing again is enough', async () => {
  await installed('killed', '1.0.0', { [first]: things })
  const slow = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `migrations/2026_02_01_${String(n).padStart(6, '0')}_step.sql`,
      `create table step_${n} (id char(26) primary key);`,
    ]),
  )
  const dir = write('killed', '1.1.0', slow)
  await ask('/publish', { ...sourceOf(dir), submit: true })
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

test('a school that installs an app itself gets the rows its migrations gave to the schools before', async () => {
  const kinds = `create table kinds (id text primary key); insert into kinds (id) values ('novel'), ('atlas')`
  assert.equal((await publish('kinds', '1.0.0', { 'migrations/2026_01_01_000001_kinds.sql': kinds })).status, 200)
  const { cookie } = await signIn(host.url, administrator)
  const school = async (path: string, headers = {}, method = 'GET'): Promise<Answer['body']> => {
    const init = { method, headers: { cookie, ...headers }, ...(method === 'POST' && { body: '{"scopes":[]}' }) }
    return (await fetch(`${host.url}/partners/api/school${path}`, init)).json()
  }
  const { form_token: token } = await school('/installations')
  const headers = { 'x-form-token': token, 'content-type': 'application/json' }
  assert.equal((await school('/apps/kinds/install', headers, 'POST')).installation.app, 'kinds')
  const { rows } = await database.query('select id from s_kinds.kinds where tenant_id = $1 order by id', [tenant])
  assert.deepEqual(rows, [{ id: 'atlas' }, { id: 'novel' }])
})

/** Until the live schema has it: the publisher is in the middle of its work then. */
async function firstMigrationOf(schema: string, version: string): Promise<void> {
  for (;;) {
    const { rowCount } = await database.query('select from module_host.history where schema = $1 and version = $2', [
      schema,
      version,
    ])
    if (rowCount) return
    await new Promise((done) => setTimeout(done, 5))
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
