import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { startTestServer, type TestServer, tenantA } from '../../module-database/support.ts'
import { migration, newModule as newModuleFor } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** A new module with one school, and a function that imports files into its live schema. */
async function newModule() {
  const { slug, bring } = await newModuleFor(server, async () => ({ sandbox: [], live: [tenantA] }))
  return { slug, bring: (files: MigrationFile[]) => bring(files, { kinds: ['live'] }) }
}

const books = migration(1, 'create table books (id text primary key, title text not null unique)')

const untold = /: the server refuses what a row gives, in words that may hold it \(SQLSTATE [A-Z\d]{5}\)$/

/** What the server says of a value that does not fit, without the value. */
const refusedValues: [string, RegExp][] = [
  ['title::int', /: invalid input syntax for type integer …$/],
  ['title::int4range', /: malformed range literal …$/],
  ['title::varchar(3)::date', /: invalid input syntax for type date …$/],
  ['number::int8::int2', /: smallint out of range$/],
  [`(number || '000')::int`, /: is out of range for type integer …$/],
  ['to_tsquery(title)', /: syntax error in tsquery …$/],
  ['title::jsonpath', /: syntax error at or near …$/],
  ['make_date(number::int, 13, 1)', /: date field value out of range …$/],
  ['chr(number::int)', /: requested character too large for encoding: …$/],
  [`set_masklen('10.0.0.0/8', -number::int)`, /: invalid mask length …$/],
  ['to_tsvector(id::regconfig, title)', untold],
  [`get_byte('a', number::int)`, untold],
  [`pg_catalog.normalize('x', title)`, untold],
  [`pg_catalog.normalize('x', 'division by zero' || title)`, untold],
  [`('a.b."' || title || '"')::regconfig`, untold],
  [`('a.b.c."' || title || '"')::regconfig`, untold],
  [`jsonb_path_query('{}', ('strict $."' || title || '"')::jsonpath)`, untold],
]

test("what a school's row says is in no word that the partner gets of a failing migration", async () => {
  const { slug, bring } = await newModule()
  const pupils = migration(1, 'create table pupils (id text primary key, title text, number text, made text)')
  await bring([pupils])
  await server.superuser.query(
    `insert into m_${slug}.pupils (id, title, number, tenant_id) values ('sara', 'Sara "S." Ali', '1098765432', '${tenantA}')`,
  )
  for (const [expression, message] of refusedValues) {
    const failing = migration(2, `\nupdate pupils set made = (${expression})::text`)
    const refusal = { code: 'failed', kind: 'live', line: 2, message } as const
    await assert.rejects(bring([pupils, failing]), refusal, expression)
  }
})

test("a live migration that a school's rows stand against names the constraint", async () => {
  const { slug, bring } = await newModule()
  await bring([books])
  await server.superuser.query(
    `insert into m_${slug}.books (id, title, tenant_id) values ('1', 'Sara', '${tenantA}'), ('2', 'Ali', '${tenantA}')`,
  )
  const refusals: [string, RegExp][] = [
    [`alter table books add constraint kind_23 check (title = 'Ali')`, /"kind_23" of relation "books" is violated/],
    [`update books set title = 'Ali'`, /: duplicate key value violates unique constraint "books_title_key"$/],
  ]
  for (const [text, message] of refusals)
    await assert.rejects(bring([books, migration(2, text)]), { kind: 'live', message }, text)
})
