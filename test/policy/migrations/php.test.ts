import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import type { ModuleSchema } from '../../../policy/migrations/module-schema.ts'
import { readPhpMigration } from '../../../policy/migrations/php/read.ts'
import { canonical } from '../support/canonical.ts'
import { loadGuard } from '../../../policy/sql/guard.ts'
import { parseSql } from '../../../policy/sql/parse.ts'

before(loadGuard)

const wrap = (body: string) => `<?php\nreturn new class extends Migration { public function up(): void {\n${body}\n} };`
const inTable = (calls: string) => wrap(`Schema::table('t', function (Blueprint $table) { ${calls} });`)

function sqlOf(text: string, schema?: ModuleSchema): string[] {
  const source = readPhpMigration(text, 'x.php', schema)
  assert.deepEqual(
    source.findings.filter(({ severity }) => severity === 'error'),
    [],
  )
  return source.up.map(({ sql }) => sql)
}

function refusalOf(text: string): string {
  const { findings, up } = readPhpMigration(text, 'x.php')
  const [error] = findings.filter(({ severity }) => severity === 'error')
  assert.ok(error, `translated to ${JSON.stringify(up)}`)
  assert.deepEqual(up, [])
  return `${error.line}: ${error.reason}`
}

test('every recorded answer of Laravel’s own PostgreSQL grammar is given here too', async () => {
  // Recorded by running Laravel 12 on PHP 8.4 over each of these bodies.
  const fixture = new URL('./fixtures/laravel-grammar.json', import.meta.url)
  const recorded = JSON.parse(await readFile(fixture, 'utf8')) as { php: string; sql: string[] }[]
  assert.ok(recorded.length > 400)
  for (const { php, sql } of recorded) assert.deepEqual(treesOf(sqlOf(wrap(php))), treesOf(sql), php)
})

function treesOf(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const parsed = parseSql(text)
    assert.ok(parsed.ok, text)
    return canonical(parsed.statements.map(({ stmt }) => stmt))
  })
}

describe('columns become the SQL of Laravel’s PostgreSQL grammar', () => {
  const cases: [string, ...string[]][] = [
    ['$table->id();', 'add column "id" bigserial not null primary key'],
    ["$table->string('a');", 'add column "a" varchar(255) not null'],
    ["$table->string('a', 0);", 'add column "a" varchar(255) not null'],
    ["$table->tinyInteger('a')->unsigned()->default(1);", `add column "a" smallint not null default '1'`],
    ["$table->boolean('a')->default(false);", `add column "a" boolean not null default '0'`],
    ["$table->float('a', 8, 2);", 'add column "a" float(53) not null'],
    ["$table->decimal('a', total: 12, places: 4);", 'add column "a" decimal(12, 4) not null'],
    [
      "$table->timestamp('a')->useCurrent();",
      'add column "a" timestamp(0) without time zone not null default CURRENT_TIMESTAMP',
    ],
    [
      "$table->timestamp('a')->default(DB::raw('now()'));",
      'add column "a" timestamp(0) without time zone not null default now()',
    ],
    ["$table->enum('a', ['x', \"y'z\"]);", `add column "a" varchar(255) check ("a" in ('x', 'y''z')) not null`],
    [
      "$table->integer('a')->storedAs('b * 2')->nullable();",
      'add column "a" integer null generated always as (b * 2) stored',
    ],
    [
      "$table->bigInteger('a')->generatedAs()->always();",
      'add column "a" bigint not null generated always as identity',
    ],
    ["$table->year('a');", 'add column "a" integer not null'],
    ["$table->rawColumn('a', 'int4range');", 'add column "a" int4range not null'],
  ]
  for (const [calls, ...expected] of cases) {
    test(calls, () =>
      assert.deepEqual(
        sqlOf(inTable(calls)),
        expected.map((sql) => `alter table "t" ${sql}`),
      ),
    )
  }
})

describe('indexes and keys are named as Laravel names them', () => {
  const cases: [string, ...string[]][] = [
    ["$table->unique(['a', 'b']);", 'alter table "t" add constraint "t_a_b_unique" unique ("a", "b")'],
    ["$table->index('a', null, 'hash');", 'create index "t_a_index" on "t" using hash ("a")'],
    ["$table->rawIndex('lower(a)', 'i');", 'create index "i" on "t" (lower(a))'],
    ["$table->primary(['a', 'b']);", 'alter table "t" add primary key ("a", "b")'],
    [
      "$table->foreign('a_id')->references('id')->on('as')->onDelete('set null')->deferrable();",
      'alter table "t" add constraint "t_a_id_foreign" foreign key ("a_id") references "as" ("id") on delete set null deferrable',
    ],
    [
      "$table->foreignId('category_id')->constrained();",
      'alter table "t" add column "category_id" bigint not null',
      'alter table "t" add constraint "t_category_id_foreign" foreign key ("category_id") references "categories" ("id")',
    ],
    [
      "$table->string('a')->unique()->index();",
      'alter table "t" add column "a" varchar(255) not null',
      'alter table "t" add constraint "t_a_unique" unique ("a")',
    ],
    ["$table->dropForeign(['a_id']);", 'alter table "t" drop constraint "t_a_id_foreign"'],
    ['$table->dropPrimary();', 'alter table "t" drop constraint "t_pkey"'],
    [
      "$table->dropConstrainedForeignId('a_id');",
      'alter table "t" drop constraint "t_a_id_foreign"',
      'alter table "t" drop column "a_id"',
    ],
    [
      "$table->dropMorphs('x');",
      'drop index "t_x_type_x_id_index"',
      'alter table "t" drop column "x_type", drop column "x_id"',
    ],
    [
      "$table->string('a', 9)->change();",
      'alter table "t" alter column "a" type varchar(9), alter column "a" set not null, alter column "a" drop default, alter column "a" drop identity if exists',
      'comment on column "t"."a" is NULL',
    ],
  ]
  for (const [calls, ...expected] of cases) test(calls, () => assert.deepEqual(sqlOf(inTable(calls)), expected))
})

describe('what is not literal is refused with line and construct', () => {
  const cases: [string, string][] = [
    ['Schema::create($name, function ($table) {});', '3: cannot read the variable $name'],
    ["\nSchema::create(config('t'), function ($table) {});", '4: cannot read the call of config()'],
    ["DB::table('t')->insert(['a' => 1]);", '3: cannot read DB::table()->insert()'],
    ["DB::statement('select ?', [1]);", '3: cannot read a statement with bindings'],
    ["Artisan::call('x');", '3: cannot read Artisan::call()'],
    ["Schema::connection('x')->create('t', function ($table) {});", '3: cannot read Schema::connection()->create()'],
    ["if (rand()) { Schema::drop('t'); }", '3: cannot read if (the call of rand())'],
    [
      "Schema::table('t', function ($table) { $table->foreignIdFor(User::class); });",
      '3: cannot read $table->foreignIdFor()',
    ],
    [
      "Schema::table('t', function ($table) { $table->string('a')->frobnicate(); });",
      '3: cannot read ->frobnicate() on a column',
    ],
    ["Schema::table('t', function ($table) { $table->geometry('a'); });", '3: cannot read $table->geometry()'],
    [
      "Schema::table('t', function ($table) { $table->string('a')->collation('utf8mb4_bin'); });",
      "3: cannot read collation('utf8mb4_bin'), which PostgreSQL does not have",
    ],
    [
      "Schema::table('t', function ($table) { $table->enum('a', ['x'])->change(); });",
      '3: cannot read enum()->change(), which PostgreSQL does not take',
    ],
    [
      "Schema::table('t', function ($table) { $table->string(Other::NAME); });",
      '3: cannot read Other::NAME, which this file does not define',
    ],
    ["while (true) { Schema::drop('t'); }", '3: cannot read while'],
    [
      "Schema::table('t', function ($table) { $table->string('a')->autoIncrement(); });",
      '3: cannot read autoIncrement() of a column that is no integer',
    ],
    ["eval('x');", '3: cannot read eval'],
    [
      "foreach ([5 => 'a', 'b'] as $k => $t) { Schema::drop($t . $k); }",
      '3: cannot read an array with keys for some of its entries, or one key twice',
    ],
    [
      "foreach (['a' => 'x', 'a' => 'y'] as $t) { Schema::drop($t); }",
      '3: cannot read an array with keys for some of its entries, or one key twice',
    ],
  ]
  for (const [body, expected] of cases) test(body.trim(), () => assert.equal(refusalOf(wrap(body)), expected))

  test('PHP that does not parse, has no class, a second class, code beside it or a constructor', () => {
    assert.match(refusalOf('<?php return new class {'), /^1: /)
    assert.match(refusalOf('<?php echo 1;'), /echo beside the migration/)
    assert.match(refusalOf('<?php class A {}'), /does not extend Migration/)
    assert.match(refusalOf('<?php class A extends Migration { function up() {} } class B {}'), /a second class/)
    assert.match(
      refusalOf('<?php class A extends Migration { function __construct() {} function up() {} }'),
      /__construct/,
    )
    assert.match(refusalOf('<?php class A extends Migration { function down() {} }'), /without up/)
    assert.match(refusalOf(wrap(`$a = ${'['.repeat(20_000)}${']'.repeat(20_000)};`)), /nested too deeply/)
  })
})

test('a migration that decides for itself whether it runs is refused', () => {
  const text = `<?php return new class extends Migration { public function up(): void { Schema::drop('a'); }
    public function shouldRun(): bool { return false; } };`
  assert.match(refusalOf(text), /cannot read shouldRun\(\)/)
})

test('constants and literal properties of the class, names in double quotes and heredocs are read', () => {
  const text = `<?php class Notes extends Migration {
    const A = 'a'; public const B = self::A . '_b'; protected $t = 'notes_' . Notes::A;
    public function up() {
      $n = 1;
      Schema::drop(static::B); Schema::drop($this->t); Schema::drop("x{$n}_$n");
      DB::statement(<<<'SQL'
        drop table y
        SQL);
    } }`
  assert.deepEqual(
    sqlOf(text).map((sql) => sql.trim()),
    ['drop table "a_b"', 'drop table "notes_a"', 'drop table "x1_1"', 'drop table y'],
  )
})

describe('control flow with one outcome is followed', () => {
  const books: ModuleSchema = new Map([['books', new Set(['id', 'title'])]])

  test('conditions on the module’s own tables and columns', () => {
    const drop = (name: string) => `Schema::drop('${name}');`
    const text = wrap(`
      if (Schema::hasTable('books') && ! Schema::hasColumn('books', 'fee')) { ${drop('a')} } else { ${drop('b')} }
      if (Schema::hasColumns('books', ['id', 'nope']) || DB::getDriverName() !== 'pgsql') { ${drop('c')} } elseif (true) { ${drop('d')} }
      if (in_array(DB::connection()->getDriverName(), ['mysql', 'pgsql'])) { ${drop('books')} }
      if (! Schema::hasTable('books')) { return; }
      ${drop('e')}`)
    assert.deepEqual(sqlOf(text, books), ['drop table "a"', 'drop table "d"', 'drop table "books"'])
  })

  test('without knowledge of earlier migrations such a condition is refused', () => {
    assert.match(
      refusalOf(wrap("if (Schema::hasTable('a')) { Schema::drop('a'); }")),
      /earlier migrations made is not known/,
    )
  })

  test('loops over literal lists, DB::transaction and try', () => {
    const text = wrap(`
      DB::transaction(function () { foreach (['a' => 'x', 'b' => 'y'] as $t => $c) {
        Schema::table($t, function (Blueprint $table) use ($c) { $table->dropColumn($c); });
      } });
      try { Schema::drop('z'); } catch (Exception $e) { report($e); }`)
    assert.deepEqual(sqlOf(text), [
      'alter table "a" drop column "x"',
      'alter table "b" drop column "y"',
      'drop table "z"',
    ])
  })

  test('what a closure assigns is its own', () => {
    const text = wrap("$t = 'a'; DB::transaction(function () { $t = 'b'; }); Schema::drop($t);")
    assert.deepEqual(sqlOf(text), ['drop table "a"'])
  })

  test('a loop that multiplies itself is refused', () => {
    const list = `[${Array.from({ length: 100 }, (_, n) => n).join(',')}]`
    const twice = (body: string) => wrap(`foreach (${list} as $a) { foreach (${list} as $b) { ${body} } }`)
    assert.match(refusalOf(twice('$c = $b;')), /more than 2000 statements$/)
    assert.match(refusalOf(twice("Schema::drop('t');")), /more than 500 statements of SQL/)
  })

  test('so is one in closures: they draw from what their file has', () => {
    const list = `[${Array.from({ length: 900 }, (_, n) => n).join(',')}]`
    const table = `Schema::table('t', function ($table) { foreach (${list} as $b) { $c = $b; } });`
    assert.match(refusalOf(wrap(`foreach (${list} as $a) { ${table} }`)), /more than 2000 statements$/)
    const transaction = `DB::transaction(function () { foreach (${list} as $b) { $c = $b; } });`
    assert.match(refusalOf(wrap(`foreach (${list} as $a) { ${transaction} }`)), /more than 2000 statements$/)
  })

  test('what stands in finally runs after a return too', () => {
    const text = "try { Schema::drop('a'); return; } finally { Schema::drop('b'); } Schema::drop('c');"
    assert.deepEqual(sqlOf(wrap(text)), ['drop table "a"', 'drop table "b"'])
  })
})

test('a call that Laravel swallows is translated as Laravel does, with a warning', () => {
  const source = readPhpMigration(inTable("$table->foreignId('a_id')->constrained('a')->nullable();"), 'x.php')
  assert.deepEqual(
    source.findings.map(({ rule, severity }) => [rule, severity]),
    [['php-without-effect', 'warning']],
  )
  assert.match(source.up[0]!.sql, /bigint not null$/)
})
