import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../support/database.ts'

const everything = 'select, insert, update, delete'

/** What the role of tenants' transactions may do with tables that are not only records of one tenant, or only added to. */
const expected: Record<string, string> = {
  access_log: 'select, insert',
  app_bundles: 'select',
  app_versions: 'select',
  apps: 'select',
  countries: 'select',
  education_levels: 'select',
  epoch_changes: 'select, insert, update',
  erasure_certificates: 'select, insert',
  notification_catalog: 'select',
  scopes: 'select',
  shared_search_words: 'select',
  tenant_hosts: 'select',
  tenants: 'select, insert',
  token_epoch: everything,
}

const grants = `select c.relname as name, c.relrowsecurity as protected,
    (select string_agg(privilege, ', ' order by place) from unnest(string_to_array('${everything}', ', '))
      with ordinality p (privilege, place) where has_table_privilege('partner_core', c.oid, privilege)) as allowed
  from pg_class c where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') order by c.relname`

test('a tenant’s transactions write what is of tenants; all else they may do is in this list, and nothing of a new table', async () => {
  const database = await createTestDatabase()
  try {
    await database.admin.query('create table core.newcomer (id int)')
    const { rows } = await database.admin.query<{ name: string; protected: boolean; allowed: string | null }>(grants)
    const special = rows.filter((table) => table.allowed !== null && (!table.protected || table.allowed !== everything))
    assert.deepEqual(Object.fromEntries(special.map(({ name, allowed }) => [name, allowed])), expected)
    assert.equal(rows.find(({ name }) => name === 'newcomer')?.allowed, null)
    assert.ok(rows.length - special.length > 30)
  } finally {
    await database.drop()
  }
})
