import { grades } from '../../partner-services/education/grades.ts'
import { guardians } from '../../partner-services/education/guardians.ts'
import { sections } from '../../partner-services/education/sections.ts'
import { students } from '../../partner-services/education/students.ts'
import { subjects } from '../../partner-services/education/subjects.ts'
import { employees } from '../../partner-services/employees/directory.ts'
import type { Cipher, TenantDatabase } from '../../partner-services/service/ports.ts'
import type { WritableResource } from '../../partner-services/service/resource.ts'
import { identifier, type Sql, sql } from '../../partner-services/service/sql.ts'
import { eventsForSubscribers, hasSubscribers } from '../events/many-events.ts'
import type { SchoolRecords } from './one-roster.ts'
import type { ToldColumns } from './told-columns.ts'

type Table = keyof SchoolRecords

/**
 * What every import writes of a table, and what no file tells: a first value is made up for a new record, and from then on it is
 * the school's. What has a resource is a record that apps may also write, and so has events.
 */
type Target = { columns: readonly string[]; madeUp?: readonly string[]; resource?: WritableResource }

const targets: { readonly [table in Table]: Target } = {
  academic_years: { columns: ['name', 'starts_on', 'ends_on'] },
  terms: { columns: ['name', 'academic_year_id'] },
  grades: { columns: [], madeUp: ['name', 'level'], resource: grades },
  subjects: { columns: ['name'], resource: subjects },
  sections: { columns: ['name'], resource: sections },
  guardians: { columns: ['full_name', 'phone'], resource: guardians },
  students: { columns: ['full_name', 'released_at'], resource: students },
  employees: { columns: ['full_name'], madeUp: ['job_title', 'roles'], resource: employees },
}

/** The tables in the order in which they refer to one another. */
export const inOrder = Object.keys(targets) as Table[]

type Stored = { id: string; is_new: boolean } & Record<string, unknown>

type Events = { cipher: Cipher; now: Date }

type Storing = { batches: readonly string[]; told: ToldColumns; events: Events }

/** Stores the batches of a table, and what subscribers are to learn of them. A record that was so already is left alone. */
export async function storeRecords(
  db: TenantDatabase,
  tenantId: string,
  table: Table,
  { batches, told, events }: Storing,
): Promise<void> {
  const { columns, madeUp = [], resource } = targets[table]
  const subscribed = resource ? await subscribedEvents(db, tenantId, resource) : []
  const known = [...columns, ...(told[table] ?? [])]
  // Of a row that is inserted nobody has held a lock.
  const returned = resource && subscribed.length > 0 && sql` returning current.xmax = 0 as is_new, ${resource.columns}`
  for (const batch of batches) {
    const stored = await db.rows<Stored>(sql`${upsert({ tenantId, table, known, madeUp }, batch)}${returned || sql``}`)
    if (resource) await tell(db, { tenantId, resource, subscribed, ...events }, stored)
  }
}

/** Releases those of the pupils that the school has, and says how many were not so already. */
export async function releaseStudents(
  db: TenantDatabase,
  tenantId: string,
  ids: readonly string[],
  events: Events,
): Promise<number> {
  const subscribed = await subscribedEvents(db, tenantId, students)
  const released = await db.rows<Stored>(sql`update core.students
    set released_at = coalesce(released_at, ${events.now}::timestamptz), section_id = null
    where tenant_id = ${tenantId} and id = any(${ids}::text[]) and (released_at is null or section_id is not null)
    returning false as is_new, ${students.columns}`)
  await tell(db, { tenantId, resource: students, subscribed, ...events }, released)
  return released.length
}

type Upsert = { tenantId: string; table: Table; known: readonly string[]; madeUp: readonly string[] }

/** Touches no record that is so already: one that is only looked at by `on conflict` would be locked until the import ends. */
function upsert({ tenantId, table, known, madeUp }: Upsert, batch: string): Sql {
  const name = sql`core.${identifier(table)}`
  const of = (row: 'current' | 'excluded' | 'given' | 'stored') =>
    list(['id', ...known], (column) => sql`${identifier(row)}.${identifier(column)}`)
  const columns = [...known, ...madeUp]
  const written = list(columns, identifier)
  const next = list(
    columns,
    (column) => sql`${identifier(madeUp.includes(column) ? 'current' : 'excluded')}.${identifier(column)}`,
  )
  return sql`insert into ${name} as current (tenant_id, id, ${written})
    select ${tenantId}, id, ${written} from json_populate_recordset(null::${name}, ${batch}::json) given
      where not exists (select from ${name} stored where stored.tenant_id = ${tenantId} and stored.id = given.id
        and (${of('stored')}) is not distinct from (${of('given')}))
    on conflict (tenant_id, id) do update set (${written}) = row(${next})
      where (${of('current')}) is distinct from (${of('excluded')})`
}

const list = (columns: readonly string[], one: (column: string) => Sql): Sql =>
  columns.map(one).reduce((all, part) => sql`${all}, ${part}`)

const actions = ['created', 'updated'] as const

/** Those of the resource's events that somebody at the school is to be told of. */
async function subscribedEvents(db: TenantDatabase, tenantId: string, { name }: WritableResource): Promise<string[]> {
  const subscribed: string[] = []
  for (const event of actions.map((action) => `${name}.${action}`))
    if (await hasSubscribers(db, tenantId, event)) subscribed.push(event)
  return subscribed
}

type Telling = {
  tenantId: string
  resource: WritableResource
  subscribed: readonly string[]
  cipher: Cipher
  now: Date
}

/** Records that are sealed at once: more would hold up what else this process serves. */
const atOnce = 500

async function tell(db: TenantDatabase, telling: Telling, stored: readonly Stored[]): Promise<void> {
  const { tenantId, resource, subscribed, cipher, now } = telling
  for (const [index, action] of actions.entries()) {
    const name = `${resource.name}.${action}`
    const records = subscribed.includes(name) ? stored.filter(({ is_new }) => is_new === (index === 0)) : []
    for (let start = 0; start < records.length; start += atOnce) {
      const changes = records.slice(start, start + atOnce).map(({ is_new: _, ...record }) => ({
        recordId: record.id as string,
        data: { [resource.wrapper]: record },
      }))
      await db.rows(eventsForSubscribers(cipher, now, { tenantId, name, changes }))
    }
  }
}
