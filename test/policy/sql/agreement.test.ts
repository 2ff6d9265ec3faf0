import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { statementsOf } from '../../soak/psql-script.ts'
import { startTestDatabase, type TestDatabase } from '../database.ts'
import { compareVerdicts } from './agreement.ts'

let database: TestDatabase
before(async () => {
  database = await startTestDatabase([])
})
after(() => database.close())

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')

test("the guard's grammar and the server's read the same texts of a small corpus, odd ones among them", async () => {
  const probes = (JSON.parse(fixture('probes.json')) as { sql: string[] }[]).flatMap(({ sql }) => sql)
  const corpus = statementsOf(fixture('grammar.sql'))
  assert.ok(corpus.length > 60, String(corpus.length))
  const { differences, statements } = await compareVerdicts(database.client, [...probes, ...corpus])
  assert.deepEqual(differences, [])
  assert.ok(statements > 250, String(statements))
})

test('where they would differ it is seen', async () => {
  // The one known kind: the guard's parser lets a letter follow a parameter, the server does not.
  const { differences } = await compareVerdicts(database.client, ['select 1', 'select $1a', 'selec 1'])
  assert.deepEqual(differences, ['reads: select $1a'])
})

test('a psql script is split where psql splits it', () => {
  const script = `select ';' as a; -- ; comment
/* ; /* nested ; */ ; */ select $x$ ; $x$, E'\\';', "a;b";
\\set v 1
copy t from stdin;
1;2
\\.
create function f() returns int begin atomic select 1; select case when true then 2 end; end;
create rule r as on insert to t do (select 1; select 2);
select :v, :'v', x::int;
select x::int, a[1:2] \\gset
`
  assert.deepEqual(
    statementsOf(script).map((text) =>
      text
        .replace(/\s+/g, ' ')
        .replace(/^ -- ; comment/, '')
        .trim(),
    ),
    [
      `select ';' as a`,
      `/* ; /* nested ; */ ; */ select $x$ ; $x$, E'\\';', "a;b"`,
      'copy t from stdin',
      'create function f() returns int begin atomic select 1; select case when true then 2 end; end',
      'create rule r as on insert to t do (select 1; select 2)',
      'select x::int, a[1:2]',
    ],
  )
})
