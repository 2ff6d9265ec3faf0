import type pg from 'pg'
import type { Viewer } from '../../partner-services/service/caller.ts'
import { sql } from '../../partner-services/service/sql.ts'
import type { CoreDatabase } from '../database/core-database.ts'

type Row = {
  tenant_id: string
  person_type: Viewer['type'] | 'supervisor'
  person_id: string | null
  display_name: string
}

/** One who may sign in, by user name, or else the school's administrator; of the first sandbox tenant unless one is named. */
export async function findPerson(
  { system, database }: { system: pg.Pool; database: CoreDatabase },
  { tenantId, username }: { tenantId: string | undefined; username: string | undefined },
): Promise<{ tenantId: string; viewer: Viewer | null } | null> {
  const { rows } = await system.query<Row>(
    `select a.tenant_id, a.person_type, a.person_id, a.display_name from core.accounts a join core.tenants t on t.id = a.tenant_id
      where case when $1::text is null then a.administrator else a.username = $1 end
        and ($2::text is null and t.sandbox or t.id = $2) order by t.sandbox_of is not null, t.number, a.id limit 1`,
    [username ?? null, tenantId ?? null],
  )
  const row = rows[0]
  if (!row) return null
  if (row.person_type === 'supervisor' || row.person_id === null) return { tenantId: row.tenant_id, viewer: null }
  const roles = row.person_type === 'employee' ? await rolesOf(database, row.tenant_id, row.person_id) : []
  return {
    tenantId: row.tenant_id,
    viewer: { type: row.person_type, id: row.person_id, displayName: row.display_name, roles, entityId: row.tenant_id },
  }
}

async function rolesOf(database: CoreDatabase, tenantId: string, employeeId: string): Promise<string[]> {
  const employee = await database.forTenant(tenantId, (db) =>
    db.row<{ roles: string[] }>(
      sql`select roles from core.employees where tenant_id = ${tenantId} and id = ${employeeId}`,
    ),
  )
  return employee?.roles ?? []
}
