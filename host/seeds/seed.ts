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

/** A sandbox user's password: random per host, because the key of its forms is; nothing to store. */
export function sandboxPassword(formsKey: Buffer, username: string): string {
  return createHmac('sha256', formsKey).update(`sandbox password:${username}`).digest('base64url').slice(0, 16)
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

export type NewTenant = { id: string; name: string; nameEn: string; sandboxOf: string | null }

/** Makes the sandbox school that all apps share. Does nothing where it exists. */
export async function seedSandboxSchool(database: CoreDatabase, formsKey: Buffer): Promise<void> {
  const tenant = { id: sandboxTenantId, name: 'مدرسة التجربة', nameEn: 'Sandbox School', sandboxOf: null }
  const school = sandboxSchool()
  await seedSchool(database, formsKey, tenant, school, sandboxUsers(school))
}

/**
 * Makes a sandbox tenant with its school and who signs in there, whole or not at all. Nothing where it exists. Numbers are given
 * in the order of writing: what is written only after `earlier` has the same number at every first start.
 */
export async function seedSchool(
  database: CoreDatabase,
  formsKey: Buffer,
  tenant: NewTenant,
  school: SandboxSchool,
  people: SandboxUser[],
  earlier?: Promise<unknown>,
): Promise<void> {
  const known = await database.forTenant(tenant.id, (db) =>
    db.row(sql`select id from core.tenants where id = ${tenant.id}`),
  )
  // Hashing passwords takes longer than all the rest of a later start.
  if (known) return
  const accounts = await Promise.all(
    people.map(async (user) => ({
      ...user,
      password_hash: await hashPassword(sandboxPassword(formsKey, user.username)),
    })),
  )
  await earlier
  await database.forTenant(tenant.id, async (db) => {
    const made = await db.row(
      sql`insert into core.tenants (id, name, name_en, sandbox, sandbox_of, country_code) values
        (${tenant.id}, ${tenant.name}, ${tenant.nameEn}, true, ${tenant.sandboxOf}, 'SA') on conflict do nothing returning id`,
    )
    if (made) await insertSchool(db, tenant.id, { ...school, accounts })
  })
}

/** Tables in the order in which they refer to one another, each with the records of a school that fill it. */
const tables = [
  { name: sql`core.academic_years`, records: 'academic_years' },
  { name: sql`core.terms`, records: 'terms' },
  { name: sql`core.grades`, records: 'grades' },
  { name: sql`core.sections`, records: 'sections' },
  { name: sql`core.subjects`, records: 'subjects' },
  { name: sql`core.guardians`, records: 'guardians' },
  { name: sql`core.students`, records: 'students' },
  { name: sql`core.employees`, records: 'employees' },
  { name: sql`core.curricula`, records: 'curricula' },
  { name: sql`core.curriculum_weeks`, records: 'weeks' },
  { name: sql`core.curriculum_lessons`, records: 'lessons' },
  { name: sql`core.accounts`, records: 'accounts' },
] as const

/** Each table's rows in one statement. Keys that the table lacks are ignored. */
async function insertSchool(
  db: TenantDatabase,
  tenantId: string,
  school: SandboxSchool & { accounts: object[] },
): Promise<void> {
  for (const { name, records } of tables) {
    const rows = JSON.stringify(school[records].map((row) => ({ ...row, tenant_id: tenantId })))
    await db.rows(sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows}::json)`)
  }
}
