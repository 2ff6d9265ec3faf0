/**
 * The guard's cost beside a bare parse of the same texts, in one run. `npm run bench` prints the ratio; the goal is 2.
 */
import { readFileSync } from 'node:fs'
import { parseSync } from 'libpg-query'
import { checkSql, loadGuard, type Profile } from '../../policy/sql/guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { type BenchLine, rounded } from './bench-line.ts'

const runtimeTexts = [
  'select id, title from loans where student_id = $1 and returned_at is null order by due_on limit $2',
  "insert into loans (student_id, book_id, due_on) values ($1, $2, now() + interval '14 days') returning id",
  'update loans set returned_at = now() where id = $1 returning *',
  `select b.id, b.title, count(l.id) filter (where l.returned_at is null) as out, max(l.lent_at)
   from books b left join loans l on l.book_id = b.id where b.kind = any($1) group by b.id, b.title having count(*) > 1`,
  'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
  `with late as (select student_id, sum(fee) as owed from loans where due_on < current_date group by student_id)
   select student_id, owed, rank() over (order by owed desc) from late where owed > 0`,
]

const migrationTexts = [
  `create table books (id bigserial primary key, isbn varchar(20) unique, title text not null, kind varchar(255) check
   (kind in ('novel', 'atlas')) not null default 'novel', price numeric(10, 2), created_at timestamptz default now())`,
  'create index books_title on books (lower(title)) where price is not null',
  'alter table books add column shelf_id bigint references shelves (id) on delete set null, alter column title drop not null',
]

function perStatement(texts: readonly string[], rounds: number, work: (text: string) => void): number {
  for (const text of texts) for (let n = 0; n < 300; n += 1) work(text)
  const start = process.hrtime.bigint()
  for (let n = 0; n < rounds; n += 1) for (const text of texts) work(text)
  return Number(process.hrtime.bigint() - start) / 1000 / (rounds * texts.length)
}

/** The least disturbed of several turns, guard and parse by turns. */
function compare(texts: readonly string[], profile: Profile): { ours: number; peer: number } {
  const turns = Array.from({ length: 7 }, () => ({
    peer: perStatement(texts, 400, (text) => void parseSync(text)),
    ours: perStatement(texts, 400, (text) => void checkSql(text, { profile, schema: 'm_library' })),
  }))
  return turns.toSorted((a, b) => a.ours / a.peer - b.ours / b.peer)[3]!
}

function line(name: string, { ours, peer }: { ours: number; peer: number }, goal: number): BenchLine {
  return {
    name: `sql-guard-${name}`,
    ratio: rounded(ours / peer),
    goal,
    better: 'lower',
    ours: rounded(ours),
    peer: rounded(peer),
    unit: 'µs per statement',
  }
}

export async function run(): Promise<BenchLine[]> {
  await loadGuard()
  return [
    line('run-time', compare(runtimeTexts, 'runtime'), 2),
    line('migrations', compare(migrationTexts, 'migration'), 2),
    line('hostile-texts', compare(hostileTexts(), 'runtime'), 2),
    line('known-text', { ours: await cachedVerdict(), peer: compare(runtimeTexts, 'runtime').peer }, 0.2),
  ]
}

/** The probes that a bare parse reads as well. */
function hostileTexts(): string[] {
  const file = new URL('../policy/sql/fixtures/probes.json', import.meta.url)
  const probes = JSON.parse(readFileSync(file, 'utf8')) as { sql: string[] }[]
  const unread = ['syntax', 'nul', 'utf16', 'empty', 'size', 'parser_crash']
  return probes
    .flatMap(({ sql }) => sql)
    .filter((text) => {
      const result = checkSql(text, { profile: 'runtime', schema: 'm_alpha' })
      return result.ok || !unread.includes(result.refusal.rule)
    })
}

async function cachedVerdict(): Promise<number> {
  const guard = createGuard()
  const options = { profile: 'runtime', schema: 'm_library' } as const
  for (const text of runtimeTexts) await guard.check(text, options)
  const start = process.hrtime.bigint()
  for (let n = 0; n < 20_000; n += 1) await guard.check(runtimeTexts[n % runtimeTexts.length]!, options)
  const each = Number(process.hrtime.bigint() - start) / 1000 / 20_000
  await guard.close()
  return each
}
