import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { allowedFunctions, functionalNotation, isClosedNotation } from '../../../policy/sql/functions.ts'
import { isAllowedType, isCatalogType } from '../../../policy/sql/types.ts'
import { startTestDatabase, type TestDatabase } from '../database.ts'

let database: TestDatabase
before(async () => {
  database = await startTestDatabase([])
})
after(() => database.close())

async function names(sql: string): Promise<string[]> {
  const { rows } = await database.client.query<{ name: string }>(sql)
  return rows.map(({ name }) => name)
}

test('every function that row.name could call is closed, or on the list of functions anyway', async () => {
  const callable = await names(`
    select distinct proname as name from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and pronargs >= 1 and pronargs - pronargdefaults <= 1
      and proargtypes[0] in ('record'::regtype, '"any"'::regtype, 'anyelement'::regtype, 'anynonarray'::regtype,
        'anycompatible'::regtype, 'anycompatiblenonarray'::regtype) order by 1`)
  assert.deepEqual(
    callable.filter((name) => !functionalNotation.has(name) && !allowedFunctions.has(name)),
    [],
  )
})

test('what hardening.sql takes from PUBLIC, and casts to names of the catalog, are closed after a dot too', async () => {
  const file = new URL('../../../host/module-database/sql/hardening.sql', import.meta.url)
  await database.client.query(
    `create role notation_gate; ${readFileSync(file, 'utf8').replaceAll('{{gate_owner}}', 'notation_gate')}`,
  )
  const callable = await names(`
    select distinct proname as name from pg_proc p
    where pronamespace = 'pg_catalog'::regnamespace and prokind = 'f' and pronargs >= 1 and pronargs - pronargdefaults <= 1
      and not 'internal'::regtype = any (proargtypes::oid[]) and not has_function_privilege('public', p.oid, 'execute')
    union select typname from pg_type where typnamespace = 'pg_catalog'::regnamespace and typname ~ '^_?(reg|aclitem)'
    union select typinput::text from pg_type where typnamespace = 'pg_catalog'::regnamespace and typname ~ '^(reg|aclitem)'
    order by 1`)
  assert.ok(callable.length > 200)
  assert.deepEqual(
    callable.filter((name) => !isClosedNotation(name)),
    [],
  )
})

test('every type of the server’s catalog is either allowed by name or known to be the server’s', async () => {
  const types = await names(`select typname as name from pg_type where typnamespace = 'pg_catalog'::regnamespace`)
  assert.deepEqual(
    types.filter((name) => !isAllowedType(name) && !isCatalogType(name)),
    [],
  )
})

test('no allowed function reads files, settings, other sessions or runs SQL from a text', async () => {
  const risky = await names(`
    select distinct proname as name from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and proname ~ '^(pg_(read|ls|stat|terminate|cancel|sleep|notify|advisory|try|get|reload|rotate|switch|create|drop|logical|replication|export|import)|lo_|lo$|set_config|current_setting|query_to|table_to|cursor_to|schema_to|database_to|dblink|currtid|inet_(client|server)|txid|has_|to_reg|reg|current_(user|query|schema|database)|session_user|ts_stat|ts_rewrite|binary_upgrade|row_security)'`)
  assert.ok(risky.length > 200)
  assert.deepEqual(
    risky.filter((name) => allowedFunctions.has(name) && !/^regexp_|^regr_/.test(name)),
    [],
  )
})
