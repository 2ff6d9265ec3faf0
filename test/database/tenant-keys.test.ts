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
