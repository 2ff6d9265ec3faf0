import { monotonicFactory } from 'ulid'
import type { Caller } from './caller.ts'
import { InvalidInputException, NotFoundException } from './errors.ts'
import { fieldMessage } from './messages.ts'
import type { Ports, TenantDatabase } from './ports.ts'
import { identifier, type Sql, sql } from './sql.ts'

/** A table of the schema `core` with the columns that operations may write. Names in SQL text come from here only. */
const writable = {
  students: ['full_name', 'national_id', 'birth_date', 'gender', 'grade_id', 'section_id', 'guardian_id'],
  guardians: ['full_name', 'phone', 'email', 'relation'],
  employees: ['full_name', 'job_title', 'email'],
  subjects: ['name', 'code'],
  grades: ['name', 'level'],
  sections: ['name', 'grade_id'],
  enquiries: ['name', 'phone', 'email', 'message'],
} as const

export type WritableTable = keyof typeof writable

const nextId = monotonicFactory()

const list = (parts: Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`)

type Fields = Record<string, unknown>

function givenColumns(table: WritableTable, fields: Fields): string[] {
  return writable[table].filter((column) => fields[column] !== undefined)
}

/** Inserts one record under a new id and answers with `columns` of it. */
export async function insert<Row>(
  db: TenantDatabase,
  table: WritableTable,
  record: { caller: Caller; ports: Ports; fields: Fields; columns: Sql },
): Promise<Row> {
  const { caller, ports, fields, columns } = record
  const given = givenColumns(table, fields)
  const id = nextId(ports.clock().getTime())
  const statement = sql`insert into core.${identifier(table)} (tenant_id, id, ${list(given.map(identifier))})
    values (${caller.tenant.id}, ${id}, ${list(given.map((column) => sql`${fields[column]}`))}) returning ${columns}`
  const row = await refusingUnknownReferences(caller, () => db.row<Row>(statement))
  return row!
}

/**
 * Changes the given fields of one record; `changed` is false where all of them were so already. Throws NotFoundException
 * where the tenant has none of that id.
 */
export async function update<Row>(
  db: TenantDatabase,
  table: WritableTable,
  record: { caller: Caller; id: string; fields: Fields; columns: Sql },
): Promise<{ row: Row; changed: boolean }> {
  const { caller, id, fields, columns } = record
  const given = givenColumns(table, fields)
  const from = sql`core.${identifier(table)}`
  const where = sql`where tenant_id = ${caller.tenant.id} and id = ${id}`
  if (given.length === 0) {
    const row = await db.row<Row>(sql`select ${columns} from ${from} ${where}`)
    if (!row) throw new NotFoundException()
    return { row, changed: false }
  }
  const values = list(given.map((column) => sql`${fields[column]}`))
  const differs = sql`(${list(given.map(identifier))}) is distinct from (${values})`
  const changes = list(given.map((column) => sql`${identifier(column)} = ${fields[column]}`))
  // Somebody else's change may come between the two statements: what is answered holds what was asked for.
  for (;;) {
    const row = await refusingUnknownReferences(caller, () =>
      db.row<Row>(sql`update ${from} set ${changes} ${where} and ${differs} returning ${columns}`),
    )
    if (row) return { row, changed: true }
    const found = await db.row<Row & { differs: boolean }>(
      sql`select ${columns}, ${differs} as differs from ${from} ${where}`,
    )
    if (!found) throw new NotFoundException()
    const { differs: isOther, ...same } = found
    if (!isOther) return { row: same as Row, changed: false }
  }
}

const foreignKeyViolation = '23503'

/** An id of another tenant, or of nobody, in a reference field is a wrong field: 422, and the same for both. */
async function refusingUnknownReferences<T>(caller: Caller, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code, constraint = '' } = error as { code?: string; constraint?: string }
    if (code !== foreignKeyViolation) throw error
    const field = /_([a-z]+_id)_fkey$/.exec(constraint)?.[1] ?? 'body'
    throw new InvalidInputException({ [field]: [fieldMessage('unknown_record', caller.locale)] })
  }
}
