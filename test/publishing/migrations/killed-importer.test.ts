import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { migrationStatus } from '../../../host/publishing/migrations/status.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { secrets, startTestServer, type TestServer, tenantA } from '../../module-database/support.ts'
import type { ImporterStart } from './importer-process.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'killed'
const role = `m_${slug}`
/** Each makes a table and fills it, so that half a migration would show. */
const files = Array.from({ length: 60 }, (_, n) =>
  migration(
    n + 1,
    `create table t${n} (id int primary key); insert into t${n} (id) select n from generate_series(1, 500) n`,
  ),
)

/** Starts an importer and kills it with SIGKILL as soon as it has said so many migrations. */
async function killAfter(count: number): Promise<void> {
  const child = fork(fileURLToPath(new URL('./importer-process.ts', import.meta.url)), { stdio: 'inherit' })
  let said = 0
  child.on('message', () => {
    said += 1
    if (said === count) child.kill('SIGKILL')
  })
  const start: ImporterStart = {
    slug,
    superuser: server.provisioning,
    files,
    password: secrets.passwordOf(role),
    gateSecret: secrets.gateSecretOf(role),
  }
  child.send(start)
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
}

async function applied(): Promise<string[]> {
  return (await migrationStatus(server.superuser, { slug, suffix: '' })).live.map(({ version }) => version)
}

/** The killed importer's session may still carry out what it was sent: it ends before the state is looked at. */
async function sessionsEnd(): Promise<void> {
  while ((await server.superuser.query('select from pg_stat_activity where usename = $1', [role])).rowCount)
    await new Promise((done) => setTimeout(done, 10))
}

test('after kill -9 each migration is there with its rows and its history, or not at all, and the next import goes on', async () => {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  let before = 0
  for (const count of [1, 7, 12]) {
    await killAfter(count)
    await sessionsEnd()
    const done = await applied()
    assert.ok(done.length >= before + count && done.length < files.length, `${done.length} after ${before} + ${count}`)
    before = done.length
    const { rows } = await server.superuser.query<{ name: string; rows: string }>(
      `select relname as name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', oid::regclass), false, true, '')))[1]::text as rows
       from pg_class where relnamespace = $1::regnamespace and relkind = 'r' order by oid`,
      [role],
    )
    assert.deepEqual(
      rows,
      done.map((_, n) => ({ name: `t${n}`, rows: '500' })),
    )
  }
  const rest = await importMigrations({
    ...importTarget(server, slug),
    files,
    plan,
    release: '1',
    tenants: async () => ({ sandbox: [], live: [tenantA] }),
    kinds: ['live'],
  })
  assert.equal(rest.length, files.length - before)
  assert.deepEqual(
    await applied(),
    files.map(({ version }) => version),
  )
})
