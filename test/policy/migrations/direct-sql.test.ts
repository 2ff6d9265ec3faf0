import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftFromSql } from '../../../policy/migrations/direct-sql.ts'

const options = { now: new Date('2026-11-21T08:09:10.999Z'), versions: [], coreTables: new Set(['students']) }

test('SQL of the portal becomes a migration file of this second, later than every version that exists', async () => {
  const sql = 'create table fines (id serial primary key)'
  const draft = await draftFromSql('library', sql, options)
  assert.equal(draft.plan.ok, true)
  assert.deepEqual([draft.file.file, draft.file.text], ['2026_11_21_080910_direct_sql.sql', sql])
  const versions = ['2026_01_01_000000', '2026_12_31_235959', '2026_11_21_080910']
  assert.equal((await draftFromSql('library', sql, { ...options, versions })).file.version, '2027_01_01_000000')
  const odd = (await draftFromSql('library', sql, { ...options, versions: ['2026_12_31_996161'] })).file.version
  assert.ok(odd > '2026_12_31_996161' && /^\d{4}_\d\d_\d\d_\d{6}$/.test(odd), odd)
})

test('what an import would refuse is no draft, and the place is named', async () => {
  for (const [sql, rule, line] of [
    ['create table a (id int);\ngrant all on a to public', 'statement', 2],
    ['select 1', 'statement', 1],
    ['create table a (id int);\n\ncreate table b (student_id char(26))', 'core-reference', 3],
    ['drop table loans', 'dropped-table', 1],
    ['update loans set x = 1; \0', 'nul', 1],
    ['\ufeffcreate table a (id int)', 'encoding', 1],
    ["insert into loans (x) values ('\ud800')", 'utf16', 1],
    ['', 'empty', 1],
  ] as const) {
    const { plan } = await draftFromSql('library', sql, { ...options, knownTables: new Set(['loans']) })
    assert.equal(plan.ok, false, sql)
    assert.deepEqual([plan.findings[0]?.rule, plan.findings[0]?.line], [rule, line], sql)
  }
})
