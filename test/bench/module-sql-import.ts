import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PlannedMigration } from '../../host/publishing/migrations/migration-types.ts'
import { provisionModule } from '../../host/module-database/provision.ts'
import { importMigrations } from '../../host/publishing/migrations/import.ts'
import type { MigrationFile } from '../../policy/migrations/folder.ts'
import { emptySchema } from '../../policy/migrations/known-schema.ts'
import { connected, secrets, startTestServer, type TestServer } from '../module-database/support.ts'
import { importTarget, migration, plan } from '../publishing/migrations/support.ts'
import type { BenchLine } from './bench-line.ts'

const migrations = 1_000
const rounds = 3

/**
 * A thousand migrations imported (read, guarded, rewritten, applied, recorded, audited) against `psql` (or
 * node-postgres, where that is not installed) that applies the same final SQL, one transaction each, to the same durable
 * server.
 */
export async function run(): Promise<BenchLine[]> {
  const files = Array.from({ length: migrations }, (_, index) => migration(index + 1, textOf(index)))
  const server = await startTestServer({ durable: true })
  try {
    const pairs: [ours: number, peer: number][] = []
    for (let round = 0; round < rounds; round++)
      pairs.push([await importAll(server, `bench${round}`, files), await applyPlainly(server, `plain${round}`, files)])
    const [ours, peer] = pairs.toSorted((a, b) => a[0] / a[1] - b[0] / b[1])[rounds >> 1]!
    const ratio = Math.round((ours / peer) * 100) / 100
    return [
      {
        name: 'module-sql-import-1000',
        ratio,
        goal: 1.5,
        better: 'lower',
        ours: Math.round(ours),
        peer: Math.round(peer),
        unit: 'ms',
      },
    ]
  } finally {
    await server.stop()
  }
}

/** Tables, columns, indexes and foreign keys in the mix of a module that grows. */
function textOf(index: number): string {
  const table = `t${index - (index % 4)}`
  if (index % 4 === 0)
    return `create table ${table} (id text primary key, title text not null, due date, email text unique)`
  if (index % 4 === 1)
    return `alter table ${table} add column remark text; comment on column ${table}.remark is 'a remark'`
  if (index % 4 === 2) return `create index ${table}_by_due on ${table} (due)`
  return `create table ${table}_items (id text primary key, parent_id text references ${table} (id) on delete cascade)`
}

async function importAll(server: TestServer, slug: string, files: MigrationFile[]): Promise<number> {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  const start = performance.now()
  await importMigrations({
    ...importTarget(server, slug),
    files,
    plan,
    release: '1',
    tenants: async () => ({ sandbox: [], live: [] }),
    kinds: ['live'],
  })
  return performance.now() - start
}

async function applyPlainly(server: TestServer, schema: string, files: MigrationFile[]): Promise<number> {
  const planned: PlannedMigration[] = []
  for (const file of files) {
    planned.push(
      await plan(file, {
        schema: 'm_plain',
        runSchema: 'm_plain',
        runtimeRole: 'test_core',
        knownTables: new Set(),
        known: emptySchema(),
      }),
    )
  }
  await server.superuser.query(`create schema ${schema}`)
  const transactions = planned.map(({ statements }) => statements.map(({ sql }) => sql))
  return psql ? applyByPsql(server, schema, transactions) : applyByClient(server, schema, transactions)
}

const psql = process.env.PATH?.split(':')
  .map((folder) => join(folder, 'psql'))
  .find(existsSync)

/** One script, one process, as somebody would apply a dump. */
async function applyByPsql(server: TestServer, schema: string, transactions: string[][]): Promise<number> {
  const script = transactions.map((sql) => ['begin', ...sql, 'commit'].map((text) => `${text};\n`).join('')).join('')
  const { host, port, user, password, database } = server.provisioning
  const env = {
    ...process.env,
    PGHOST: String(host),
    PGPORT: String(port),
    PGUSER: String(user),
    PGPASSWORD: String(password),
    PGOPTIONS: `-c search_path=${schema}`,
  }
  const start = performance.now()
  const child = spawn(psql!, ['-X', '-q', '-v', 'ON_ERROR_STOP=1', database], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(script)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`psql ended with ${code}`)
  return performance.now() - start
}

async function applyByClient(server: TestServer, schema: string, transactions: string[][]): Promise<number> {
  const client = await connected({ ...server.provisioning, options: `-c search_path=${schema}` })
  const start = performance.now()
  for (const sql of transactions) {
    await client.query('begin')
    for (const text of sql) await client.query(text)
    await client.query('commit')
  }
  const milliseconds = performance.now() - start
  await client.end()
  return milliseconds
}
