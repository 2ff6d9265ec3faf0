import type { TestDatabase } from '../../support/database.ts'

const names = [
  'أحمد',
  'فاطمة',
  'محمد',
  'سارة',
  'علي',
  'نورة',
  'خالد',
  'هند',
  'يوسف',
  'ليلى',
  'عمر',
  'ريم',
  'Omar',
  'Sara',
  'Adam',
  'Lina',
]

/**
 * Gives each tenant `perTenant` students of two names. The rows and words are what the triggers would write, in one
 * statement each and side by side, and all indexes but the primary keys are made afterwards: two millions take a minute,
 * not ten.
 */
export async function fillStudents({ admin }: TestDatabase, tenantIds: string[], perTenant: number): Promise<void> {
  const values = [tenantIds, names, perTenant]
  await Promise.all([
    fill(admin, 'core.students', studentRows, values),
    fill(admin, 'core.search_words', wordRows, values),
  ])
}

const studentRows = `
  insert into core.students (tenant_id, id, full_name, national_id)
  select tenant, '02' || lpad(n::text, 24, '0'), ($2::text[])[1 + n % 16] || ' ' || ($2::text[])[1 + (n / 16) % 16], (1000000000 + n)::text
  from unnest($1::text[]) tenant, generate_series(1, $3::integer) n`

const wordRows = `
  with pairs as materialized (
    select a * 16 + b as pair, word from generate_series(0, 15) a, generate_series(0, 15) b,
      core.words(array[($2::text[])[1 + b] || ' ' || ($2::text[])[1 + a]], '{}') word)
  insert into core.search_words
    select tenant, 'students', word, '02' || lpad(n::text, 24, '0')
      from (select distinct tenant from unnest($1::text[]) tenant) t, pairs, generate_series(0, $3::integer / 256) block,
        lateral (select block * 256 + pair as n) numbered where n between 1 and $3
    union all
    select tenant, 'students', (1000000000 + n)::text, '02' || lpad(n::text, 24, '0')
      from unnest($1::text[]) tenant, generate_series(1, $3::integer) n
    order by 1, 3, 4`

async function fill(admin: TestDatabase['admin'], table: string, insert: string, values: unknown[]): Promise<void> {
  const client = await admin.connect()
  try {
    await client.query(`set maintenance_work_mem = '256MB'; set work_mem = '64MB'`)
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
        where indrelid = $1::regclass and not indisprimary`,
      [table],
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await client.query(`alter table ${table} disable trigger user`)
    await client.query(insert, values)
    await client.query(`alter table ${table} enable trigger user`)
    for (const { definition } of indexes) await client.query(definition)
    await client.query(`vacuum analyze ${table}`)
  } finally {
    client.release(true)
  }
}
