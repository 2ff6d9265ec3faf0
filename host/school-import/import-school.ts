import { ServiceError } from '../../partner-services/service/errors.ts'
import type { TenantDatabase } from '../../partner-services/service/ports.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { mayWaitAndRunLong } from '../database/time-limits.ts'
import type { Problem } from './csv-table.ts'
import type { SchoolRecords } from './one-roster.ts'
import { readSchool } from './read-school.ts'

/** The import was refused and nothing of it was kept. */
export class SchoolImportError extends Error {
  override name = 'SchoolImportError'
  readonly problems: Problem[]
  constructor(problems: Problem[]) {
    super(`${problems.length} wrong row${problems.length === 1 ? '' : 's'}: nothing was imported`)
    this.problems = problems
  }
}

export type SchoolImported = { imported: { [table in keyof SchoolRecords]: number } }

/**
 * Imports OneRoster 1.1 CSV files (name → base64) into a tenant, in one transaction. Importing again changes the records
 * that came from the same `sourcedId`. Throws SchoolImportError with every wrong row.
 */
export async function importSchool(
  database: CoreDatabase,
  tenantId: string,
  files: Record<string, string>,
): Promise<SchoolImported> {
  const { problems, counts, batches } = await readSchool({ tenantId, files })
  if (problems.length > 0) throw new SchoolImportError(problems)
  await database.forTenant(tenantId, async (db) => {
    await db.rows(mayWaitAndRunLong)
    const tenant = await db.row(sql`select id from core.tenants where id = ${tenantId}`)
    if (!tenant) throw new ServiceError('not_found')
    for (const table of Object.keys(targets) as (keyof SchoolRecords)[])
      await store(db, tenantId, table, batches[table])
  })
  return { imported: counts }
}

/** In the order in which tables refer to one another. */
const targets = {
  academic_years: {
    name: sql`core.academic_years`,
    columns: sql`id, name, starts_on, ends_on`,
    changed: sql`name = excluded.name, starts_on = excluded.starts_on, ends_on = excluded.ends_on`,
  },
  terms: {
    name: sql`core.terms`,
    columns: sql`id, name, academic_year_id`,
    changed: sql`name = excluded.name, academic_year_id = excluded.academic_year_id`,
  },
  grades: {
    name: sql`core.grades`,
    columns: sql`id, name, level`,
    changed: sql`name = excluded.name, level = excluded.level`,
  },
  subjects: {
    name: sql`core.subjects`,
    columns: sql`id, name, code`,
    changed: sql`name = excluded.name, code = excluded.code`,
  },
  sections: {
    name: sql`core.sections`,
    columns: sql`id, name, grade_id`,
    changed: sql`name = excluded.name, grade_id = excluded.grade_id`,
  },
  guardians: {
    name: sql`core.guardians`,
    columns: sql`id, full_name, phone, email`,
    changed: sql`full_name = excluded.full_name, phone = excluded.phone, email = excluded.email`,
  },
  students: {
    name: sql`core.students`,
    columns: sql`id, full_name, national_id, birth_date, gender, grade_id, section_id, guardian_id`,
    changed: sql`full_name = excluded.full_name, national_id = excluded.national_id, birth_date = excluded.birth_date,
      gender = excluded.gender, grade_id = excluded.grade_id, section_id = excluded.section_id, guardian_id = excluded.guardian_id`,
  },
  employees: {
    name: sql`core.employees`,
    columns: sql`id, full_name, job_title, email, roles`,
    changed: sql`full_name = excluded.full_name, job_title = excluded.job_title, email = excluded.email, roles = excluded.roles`,
  },
} satisfies { [table in keyof SchoolRecords]: object }

async function store(
  db: TenantDatabase,
  tenantId: string,
  table: keyof SchoolRecords,
  batches: readonly string[],
): Promise<void> {
  const { name, columns, changed } = targets[table]
  for (const batch of batches)
    await db.rows(sql`insert into ${name} (tenant_id, ${columns})
      select ${tenantId}, ${columns} from json_populate_recordset(null::${name}, ${batch}::json)
      on conflict (tenant_id, id) do update set ${changed}`)
}
