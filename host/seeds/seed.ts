import { createHmac } from 'node:crypto'
import type pg from 'pg'
import type { TenantDatabase } from '../../partner-services/service/ports.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import { hashPassword } from '../security/password.ts'
import { countries, educationLevels } from './countries.ts'
import { createIds } from './random.ts'
import { type SandboxSchool, sandboxSchool } from './sandbox-school.ts'
import { type SandboxUser, sandboxUsers } from './sandbox-users.ts'

/** Fixed, so that scripts may rely on it. */
export const sandboxTenantId = '01J60000000000000000SCHQQQ'

/** A sandbox user's password: random per host, because the host key is; nothing to store. */
export function sandboxPassword(hostKey: Buffer, username: string): string {
  return createHmac('sha256', hostKey).update(`sandbox password:${username}`).digest('base64url').slice(0, 16)
}

/** Fills an empty database with the platform's reference data. Does nothing where it is there. */
export async function seedReferenceData(system: pg.Pool): Promise<void> {
  const nextCountry = createIds(20)
  const nextLevel = createIds(21)
  const rows = countries.map(([code, name_ar, name_en, calling_code, timezone]) => ({
    code,
    id: nextCountry(),
    name_ar,
    name_en,
    calling_code,
    timezone,
  }))
  const levels = countries.flatMap(([country_code]) =>
    educationLevels.map(([name_ar, name_en], index) => ({
      id: nextLevel(),
      country_code,
      name_ar,
      name_en,
      position: index + 1,
    })),
  )
  await system.query(
    `insert into core.countries select * from json_populate_recordset(null::core.countries, $1) on conflict do nothing`,
    [JSON.stringify(rows)],
  )
  await system.query(
    `insert into core.education_levels select * from json_populate_recordset(null::core.education_levels, $1) on conflict do nothing`,
    [JSON.stringify(levels)],
  )
}

/** Makes the sandbox school, whole or not at all. Does nothing where it exists. */
export async function seedSandboxSchool(database: CoreDatabase, hostKey: Buffer): Promise<void> {
  const known = await database.forTenant(sandboxTenantId, (db) =>
    db.row(sql`select id from core.tenants where id = ${sandboxTenantId}`),
  )
  // Hashing twelve passwords takes longer than all the rest of a later start.
  if (known) return
  const users = await Promise.all(
    sandboxUsers(sandboxSchool()).map(async (user) => ({
      ...user,
      password_hash: await hashPassword(sandboxPassword(hostKey, user.username)),
    })),
  )
  await database.forTenant(sandboxTenantId, async (db) => {
    const made = await db.row(
      sql`insert into core.tenants (id, name, name_en, sandbox, country_code) values
        (${sandboxTenantId}, 'مدرسة التجربة', 'Sandbox School', true, 'SA') on conflict do nothing returning id`,
    )
    if (!made) return
    await insertSchool(db, sandboxSchool())
    await insertAccounts(db, users)
  })
}

async function insertSchool(db: TenantDatabase, school: SandboxSchool): Promise<void> {
  await fill(db, 'academic_years', school.academic_years)
  await fill(db, 'terms', school.terms)
  await fill(db, 'grades', school.grades)
  await fill(db, 'sections', school.sections)
  await fill(db, 'subjects', school.subjects)
  await fill(db, 'guardians', school.guardians)
  await fill(db, 'students', school.students)
  await fill(db, 'employees', school.employees)
  await fill(db, 'curricula', school.curricula)
  await fill(db, 'curriculum_weeks', school.weeks)
  await fill(db, 'curriculum_lessons', school.lessons)
}

const insertAccounts = (db: TenantDatabase, users: (SandboxUser & { password_hash: string })[]) =>
  fill(db, 'accounts', users)

type Table =
  | 'academic_years'
  | 'terms'
  | 'grades'
  | 'sections'
  | 'subjects'
  | 'guardians'
  | 'students'
  | 'employees'
  | 'curricula'
  | 'curriculum_weeks'
  | 'curriculum_lessons'
  | 'accounts'

/** Inserts all rows of one table in one statement. Keys that the table lacks are ignored. */
async function fill(db: TenantDatabase, table: Table, rows: readonly object[]): Promise<void> {
  const name = fillable[table]
  const records = JSON.stringify(rows.map((row) => ({ ...row, tenant_id: sandboxTenantId })))
  await db.rows(sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${records}::json)`)
}

const fillable: Record<Table, ReturnType<typeof sql>> = {
  academic_years: sql`core.academic_years`,
  terms: sql`core.terms`,
  grades: sql`core.grades`,
  sections: sql`core.sections`,
  subjects: sql`core.subjects`,
  guardians: sql`core.guardians`,
  students: sql`core.students`,
  employees: sql`core.employees`,
  curricula: sql`core.curricula`,
  curriculum_weeks: sql`core.curriculum_weeks`,
  curriculum_lessons: sql`core.curriculum_lessons`,
  accounts: sql`core.accounts`,
}
