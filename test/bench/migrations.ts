/**
 * Planning 1,000 migrations (guard, labels, dangers, rewrite), SQL and PHP, beside a bare parse of the same SQL. The goal
 * leaves most of the importer's 1.5 × psql to the database: a plan costs about a fifth of what the server takes.
 */
import { parseSync } from 'libpg-query'
import type { MigrationFile } from '../../policy/migrations/folder.ts'
import type { ModuleSchema } from '../../policy/migrations/module-schema.ts'
import { planMigration } from '../../policy/migrations/plan.ts'
import { loadGuard } from '../../policy/sql/guard.ts'
import { createNames } from '../../policy/sql/names-in-use.ts'
import { type BenchLine, rounded } from './bench-line.ts'

const count = 1_000

function sqlText(n: number): string {
  return `create table t${n} (id bigserial primary key, code varchar(20) not null unique, title text not null,
    kind varchar(255) check (kind in ('a', 'b')) not null default 'a', price numeric(10, 2), created_at timestamptz default now());
    create index t${n}_title on t${n} (title);
    alter table t${n} add column note text`
}

function phpText(n: number): string {
  return `<?php
use Illuminate\\Database\\Migrations\\Migration;
return new class extends Migration {
  public function up(): void {
    Schema::create('p${n}', function (Blueprint $table) {
      $table->id();
      $table->string('code', 20)->unique();
      $table->text('title');
      $table->enum('kind', ['a', 'b'])->default('a');
      $table->decimal('price', 10, 2)->nullable();
      $table->timestamps();
      $table->index('title');
    });
    if (Schema::hasTable('p${n}')) { Schema::table('p${n}', fn (Blueprint $table) => $table->text('note')->nullable()); }
  }
};`
}

function migrations(kind: 'sql' | 'php'): MigrationFile[] {
  return Array.from({ length: count }, (_, n) => {
    const version = `2026_01_01_${String(n).padStart(6, '0')}`
    const text = kind === 'sql' ? sqlText(n) : phpText(n)
    return { version, name: `m${n}`, file: `${version}_m${n}.${kind}`, kind, checksum: '', text }
  })
}

async function planAll(files: readonly MigrationFile[]): Promise<{ ms: number; sql: string[] }> {
  const start = performance.now()
  const sql: string[] = []
  let columns: ModuleSchema | undefined = new Map()
  const names = createNames()
  for (const file of files) {
    const given = { schema: 'm_bench', runtimeRole: 'm_bench_rt', coreTables: new Set(['students']) }
    const plan = await planMigration(file, { ...given, columns, names })
    if (!plan.ok) throw new Error(JSON.stringify(plan.findings[0]))
    columns = plan.columns
    for (const statement of plan.statements) sql.push(statement.sql)
  }
  return { ms: performance.now() - start, sql }
}

export async function run(): Promise<BenchLine[]> {
  await loadGuard()
  return [await compare('sql'), await compare('php')]
}

async function compare(kind: 'sql' | 'php'): Promise<BenchLine> {
  const files = migrations(kind)
  await planAll(files.slice(0, 100))
  const { ms, sql } = await planAll(files)
  const start = performance.now()
  for (const text of sql) parseSync(text)
  const peer = performance.now() - start
  return {
    name: `migrations-plan-${count}-${kind}`,
    ratio: rounded(ms / peer),
    goal: 12,
    better: 'lower',
    ours: rounded(ms),
    peer: rounded(peer),
    unit: 'ms',
  }
}
