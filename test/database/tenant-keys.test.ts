import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database?.drop())

/** Tables that name a tenant: the first column of their key, none for those that are only added to. */
const tables = `select c.relname as name, c.relrowsecurity as protected, a.attname as first
  from pg_class c left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
  where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p')
    and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)
  order by c.relname`

test('every table of a tenant has row-level security and a tenant-first key; README.md says why three have not', async () => {
  const { rows } = await database.admin.query<{ name: string; protected: boolean; first: string | null }>(tables)
  assert.ok(rows.length > 25)
  const named = (some: typeof rows) => some.map(({ name }) => name)
  assert.deepEqual(named(rows.filter((table) => !table.protected)), ['tenant_hosts'])
  assert.deepEqual(named(rows.filter(({ first }) => first !== null && first !== 'tenant_id')), [
    'authorization_codes',
    'sessions',
    'tenant_hosts',
  ])
})

const own = "(tenant_id = ( SELECT current_setting('core.tenant'::text, true) AS current_setting))"

test('the policies of all tables are two: the tenant of the transaction, and for the system role every tenant', async () => {
  const { rows } = await database.admin.query(
    `select distinct policyname as policy, roles::text, permissive, cmd, qual as sees, with_check as writes
      from pg_policies where schemaname = 'core' order by 1`,
  )
  const all = { permissive: 'PERMISSIVE', cmd: 'ALL' }
  assert.deepEqual(rows, [
    { policy: 'every_tenant', roles: '{partner_system}', ...all, sees: 'true', writes: 'true' },
    { policy: 'tenant', roles: '{partner_core}', ...all, sees: own, writes: own },
  ])
})

test('of the school itself the system role sees nothing', async () => {
  const { rows } = await database.admin.query<{ name: string }>(
    `select tablename as name from pg_policies where schemaname = 'core' group by 1
      having not bool_or(policyname = 'every_tenant') order by 1`,
  )
  const school = ['academic_years', 'curricula', 'curriculum_lessons', 'curriculum_weeks', 'employees', 'enquiries']
  const people = ['face_embeddings', 'grades', 'guardians', 'report_templates', 'role_permissions']
  const words = ['search_words', 'sections', 'students', 'subjects', 'terms']
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...school, ...people, ...words],
  )
})

test('the host’s roles have no attribute but to sign in, and what runs with the owner’s rights is nobody else’s to call', async () => {
  const { rows } = await database.admin.query(
    `select rolname as name from pg_roles where rolname in ('partner_core', 'partner_system')
        and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls or rolinherit)
      union all select proname from pg_proc
        where pronamespace = 'core'::regnamespace and prosecdef and has_function_privilege('public', oid, 'execute')`,
  )
  assert.deepEqual(rows, [])
})
