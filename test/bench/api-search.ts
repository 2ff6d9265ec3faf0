import { startWebProcess } from '../http/support/web-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { type BenchLine, median } from './bench-line.ts'

const studentsOfTenant = 100_000
const otherTenants = 19
const samples = 40

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

/** Lists and searches among 100,000 students of one tenant, in a database of 2,000,000. Takes minutes to fill. */
export async function run(): Promise<BenchLine[]> {
  const database = await createTestDatabase()
  try {
    const school = await createSchool(database.admin)
    await fill(database, school.id)
    for (let n = 0; n < otherTenants; n++) await fill(database, (await createSchool(database.admin)).id)
    await database.admin.query('vacuum analyze core.students')
    await database.admin.query('vacuum analyze core.search_words')
    const { token } = await installApp(database.admin, school)
    const web = await startWebProcess(database)
    const list = (query: string) => timesOf(`${web.url}/apps/education/students?${query}`, token)
    try {
      const first = await list('per_page=100&page=1')
      const deep = await list('per_page=100&page=900')
      const plain = await list('')
      const found: number[] = []
      for (const search of ['محم', 'فاطمه علي', 'sar', '1000009', '10000999'])
        found.push(...(await list(`search=${encodeURIComponent(search)}`)))
      return [
        line('api-list-page-900', 3, median(deep), median(first)),
        line('api-search-p95', 5, percentile(found, 0.95), median(plain)),
      ]
    } finally {
      await web.stop()
    }
  } finally {
    await database.drop()
  }
}

/** The words are cut by the triggers' own function, in one statement for all: a trigger for each row takes minutes. */
async function fill({ admin }: TestDatabase, tenantId: string): Promise<void> {
  await admin.query('alter table core.students disable trigger words')
  await admin.query(
    `insert into core.students (tenant_id, id, full_name, national_id)
      select $1, '02' || lpad(n::text, 24, '0'), ($2::text[])[1 + n % 16] || ' ' || ($2::text[])[1 + (n / 16) % 16], (1000000000 + n)::text
      from generate_series(1, $3) n`,
    [tenantId, names, studentsOfTenant],
  )
  await admin.query(
    `insert into core.search_words select tenant_id, 'students', core.words(array[full_name], array[national_id]), id
      from core.students where tenant_id = $1`,
    [tenantId],
  )
  await admin.query('alter table core.students enable trigger words')
}

async function timesOf(url: string, token: string): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < samples + 10; n++) {
    const began = performance.now()
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
    if (n >= 10) times.push(performance.now() - began)
  }
  return times
}

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!

const rounded = (value: number) => Math.round(value * 1_000) / 1_000

const line = (name: string, goal: number, ours: number, peer: number): BenchLine => ({
  name,
  ratio: rounded(ours / peer),
  goal,
  better: 'lower',
  ours: rounded(ours),
  peer: rounded(peer),
  unit: 'ms',
})
