import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type ModuleConnection, openModuleConnection } from '../../host/module-database/module-connection.ts'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import {
  openDatabase,
  provisionWithNotes,
  secrets,
  startTestServer,
  type TestServer,
  tenantA,
  tenantB,
} from './support.ts'

type Probe = { id: string; sql: string[]; together: boolean; expect: { runtime: 'reject' | 'allow' } }
const probes = JSON.parse(
  readFileSync(new URL('../policy/sql/fixtures/probes.json', import.meta.url), 'utf8'),
) as Probe[]

/** Words that no session of `alpha` for tenant A may ever be sent. */
const foreign = ['row-of-another-tenant', 'row-of-another-module', 'row-of-the-host', 'SCRAM-SHA-256']
const role = 'm_alpha_rt'
const limits = { statementMs: 250, maxSocketBytes: 8 << 20 }

let server: TestServer
before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
  await provisionWithNotes(server, 'beta')
  await server.superuser.query(`
    insert into m_alpha.note (id, title, body, tenant_id) values ('a', 'own', 'own', '${tenantA}'), ('b', 'row-of-another-tenant', 'row-of-another-tenant', '${tenantB}');
    insert into m_beta.note (id, title, body, tenant_id) values ('a', 'row-of-another-module', 'row-of-another-module', '${tenantA}');
    create schema core; create table core.students (id text, name text); insert into core.students values ('1', 'row-of-the-host')`)
})
after(() => server.stop())

/** Everything that a module must not be able to change. */
async function world(): Promise<string> {
  const { rows } = await server.superuser.query(`
    select (select json_agg(n order by tenant_id, id) from m_alpha.note n where tenant_id = '${tenantB}') as others,
      (select json_agg(n) from m_beta.note n) as module, (select json_agg(s) from core.students s) as host,
      (select json_agg(json_build_array(rolname, rolsuper, rolcanlogin, rolbypassrls, rolcreaterole, rolconnlimit) order by rolname) from pg_roles) as roles,
      (select json_agg(json_build_array(roleid, member) order by oid) from pg_auth_members) as members,
      (select json_agg(json_build_array(oid, relname, relowner, relacl::text, relrowsecurity, relforcerowsecurity) order by oid) from pg_class where relkind <> 't' and relnamespace::regnamespace::text !~ '^pg_') as relations,
      (select json_agg(json_build_array(oid, proacl::text) order by oid) from pg_proc where proowner <> 10) as functions,
      (select json_agg(json_build_array(nspname, nspowner, nspacl::text) order by nspname) from pg_namespace where nspname !~ '^pg_(toast_)?temp') as schemas,
      (select json_agg(datname order by datname) from pg_database) as databases,
      (select count(*) from pg_largeobject_metadata) as objects, (select count(*) from pg_prepared_xacts) as prepared`)
  return JSON.stringify(rows[0], null, 1)
}

test("without the guard no probe reads or changes what is not its tenant's and its module's", async () => {
  const untouched = await world()
  for (const { id, sql } of probes) {
    const session = await openModuleConnection(server.connection, role, secrets.passwordOf(role))
    const answers: string[] = []
    for (const text of sql) await runBare(session, text, answers)
    session.destroy()
    for (const word of foreign) assert.ok(!answers.join('\n').includes(word), `${id} was sent ${word}`)
    // A role may change its own password and settings: nuisance, and what the guard is for.
    await server.superuser.query(`alter role ${role} password '${secrets.passwordOf(role)}'`)
  }
  assert.equal(await world(), untouched)
})

async function runBare(session: ModuleConnection, text: string, answers: string[]): Promise<void> {
  const step = (sql: string, values: string[] = []) => ({
    prepared: session.prepare(sql),
    values,
    maxRows: 0,
    onRow: (fields: (string | null)[]) => {
      if (answers.length < 1_000) answers.push(fields.map((field) => field?.slice(0, 10_000)).join('|'))
    },
  })
  try {
    await session.run([step('select gate.enter($1, $2)', [tenantA, secrets.gateSecretOf(role)]), step(text)], limits)
  } catch (error) {
    answers.push((error as Error).message)
  }
}

test('behind the guard every probe is refused or answers with a typed error or rows of its own', async () => {
  const guard = createGuard()
  const database = openDatabase(server, { guard: createStatementGuard(guard), limits: { statementMs: 250 } })
  const untouched = await world()
  for (const { id, sql, together, expect } of probes) {
    const outcomes: string[] = []
    for (const text of together ? [sql.join(';')] : sql) {
      const outcome = await database.rows({ slug: 'alpha', sandbox: false }, tenantA, { text }).catch((error) => {
        assert.equal(error.name, 'ModuleSqlError', `${id}: ${error.stack}`)
        return `${error.code} ${error.message}`
      })
      outcomes.push(outcome)
    }
    if (expect.runtime === 'reject')
      assert.ok(
        outcomes.some((outcome) => outcome.startsWith('sql_refused')),
        `${id}: ${outcomes}`,
      )
    for (const word of foreign) assert.ok(!outcomes.join('\n').includes(word), `${id} was sent ${word}`)
  }
  assert.equal(await world(), untouched)
  database.close()
  await guard.close()
})
