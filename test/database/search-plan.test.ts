import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { hitsOf } from '../../partner-services/service/search.ts'
import { sql, textOf } from '../../partner-services/service/sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'

let database: TestDatabase
let core: pg.Client
let schoolId: string

before(async () => {
  database = await createTestDatabase()
  const [school, other] = [await createSchool(database.admin), await createSchool(database.admin)]
  schoolId = school.id
  for (const [tenant, prefix] of [
    [school.id, '02'],
    [other.id, '03'],
  ])
    await database.admin.query(
      `insert into core.students (tenant_id, id, full_name)
        select $1, $2 || lpad(n::text, 24, '0'), 'أحمد ' || n || ' العلي' from generate_series(1, 4000) n`,
      [tenant, prefix],
    )
  await database.admin.query('vacuum analyze core.students, core.search_words')
  core = new pg.Client(database.connection.core)
  await core.connect()
  await core.query(`select set_config('core.tenant', $1, false)`, [school.id])
})
after(async () => {
  await core?.end()
  await database?.drop()
})

type Node = { 'Node Type': string; 'Relation Name'?: string; Plans?: Node[] }
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('a search reads an index and never a whole table, row-level security in force', async () => {
  for (const search of ['أحمد 17', 'احم', '3999', 'al-ahmad', 'a@b.c 12', 'احمد العلي 5', '+966 50-123']) {
    const page = sql`select id from core.students where tenant_id = ${schoolId}
      and id in (${hitsOf('students', schoolId, search)!}) order by id limit 20`
    const { rows } = await core.query(`explain (format json) ${textOf(page)}`, [...page.values])
    const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined)
    assert.ok(scans.length > 0)
    for (const node of scans) assert.notEqual(node['Node Type'], 'Seq Scan', `${search}: ${JSON.stringify(node)}`)
  }
  const found = sql`select count(*)::int as hits from (${hitsOf('students', schoolId, 'احمد 3999')!}) found`
  assert.deepEqual((await core.query(textOf(found), [...found.values])).rows, [{ hits: 1 }])
})

test('however many words a search holds, the database is asked for eight', () => {
  const asked = (search: string) => textOf(hitsOf('students', schoolId, search)!).match(/core\.search_words/g)!.length
  assert.equal(asked('احمد'), 1)
  assert.equal(asked('احمد احمد-احمد'), 4)
  for (const search of [
    'a-'.repeat(127),
    'a '.repeat(127),
    'a-b c-d '.repeat(31),
    '-a'.repeat(31).concat(' -b').repeat(4),
  ])
    assert.ok(asked(search) <= 17, `${search}: ${asked(search)}`)
})
