import { tenantToday } from '../../partner-services/identity/tenant-zone.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Ports } from '../../partner-services/service/ports.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { Problem, WrongRows } from './csv-table.ts'
import type { SchoolRecords } from './one-roster.ts'
import { readSchool } from './read-school.ts'
import { inOrder, releaseStudents, storeRecords } from './store-records.ts'

/** The import was refused and nothing of it was kept. */
export class SchoolImportError extends Error {
  override name = 'SchoolImportError'
  /** The first of them. */
  readonly problems: Problem[]
  readonly total: number
  constructor({ list, total }: WrongRows) {
    super(`${total} wrong row${total === 1 ? '' : 's'}: nothing was imported`)
    this.problems = list
    this.total = total
  }
}

/** `released`: pupils who were at the school and have left. */
export type SchoolImported = { imported: { [table in keyof SchoolRecords]: number }; released: number }

/** Of the imports of one school, whose rows may come in any order; the other spaces are with those who take them. */
const lockSpace = 7_415

export type SchoolImportContext = { database: CoreDatabase } & Pick<Ports, 'cipher' | 'clock' | 'platformTimeZone'>

/**
 * Imports OneRoster 1.1 CSV files (name → base64) into a tenant, in one transaction, with the events of what it adds and
 * changes. Importing again changes the records that came from the same `sourcedId`, except in what only a file or a column
 * tells that is not there, and in what no file tells; pupils whose row is marked as deleted are
 * released. `org`: which school of several is taken, or `all` as one. Throws
 * SchoolImportError with the wrong rows.
 */
export async function importSchool(
  context: SchoolImportContext,
  tenantId: string,
  files: Record<string, string>,
  org?: string,
): Promise<SchoolImported> {
  const { database, cipher, clock } = context
  const inFull = { long: true }
  const school = await database.forTenant(
    tenantId,
    async (db) => {
      const country = await db.row<{ calling_code: string }>(
        sql`select c.calling_code from core.tenants t join core.countries c on c.code = t.country_code where t.id = ${tenantId}`,
      )
      const today = await tenantToday(db, { tenant: { id: tenantId } }, context)
      return { today, callingCode: country?.calling_code.replace('+', '') ?? null }
    },
    inFull,
  )
  const { problems, told, left, counts, batches } = await readSchool({ tenantId, ...school, org, files })
  if (problems.total > 0) throw new SchoolImportError(problems)
  const released = await database.forTenant(
    tenantId,
    async (db) => {
      await db.rows(sql`select pg_advisory_xact_lock(${lockSpace}, hashtext(${tenantId}))`)
      const tenant = await db.row(sql`select id from core.tenants where id = ${tenantId}`)
      if (!tenant) throw new ServiceError('not_found')
      const events = { cipher, now: clock() }
      for (const table of inOrder) await storeRecords(db, tenantId, table, { batches: batches[table], told, events })
      return releaseStudents(db, tenantId, left, events)
    },
    inFull,
  )
  return { imported: counts, released }
}
