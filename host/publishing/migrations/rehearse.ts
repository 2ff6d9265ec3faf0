import type pg from 'pg'
import { dropSchema, provisionSchema } from '../../module-database/provision.ts'
import { type ModuleRoles, moduleRoleNames } from '../../module-database/role-names.ts'
import { applyMigration, type RunContext } from './apply.ts'
import { fillTables, type GeneratedTable } from './generated-rows.ts'
import { readHistory } from './history.ts'
import { planAll } from './import.ts'
import { knownColumns } from './known-columns.ts'
import type { ImportTarget, MigrationHead, MigrationPlanner } from './migration-types.ts'
import { type MigrationRehearsal, measureMigration } from './measured-migration.ts'
import { withModuleLock, withOwner } from './owner-session.ts'

export type RehearsalOptions<File extends MigrationHead> = ImportTarget & {
  files: readonly File[]
  plan: MigrationPlanner<File>
  /** Rows that each table gets before the migrations are tried. Default 1,000. */
  rows?: number
}

export type RehearsalReport = {
  /** The tables as they are now, and how many generated rows each got. */
  tables: GeneratedTable[]
  /** The migrations that the live schema does not have yet, in order; after a failing one there is none. */
  migrations: MigrationRehearsal[]
}

/** Nobody's: a ULID that no school has. */
const rehearsalTenant = '00000000000000000000000000'

/**
 * Tries a release on a copy of the live schema: the migrations applied so far are applied again in a schema of its own,
 * its tables are filled with generated rows (never a school's), and each new migration is measured. The copy is removed.
 */
export async function rehearse<File extends MigrationHead>(options: RehearsalOptions<File>): Promise<RehearsalReport> {
  const roles = moduleRoleNames(options.slug, { suffix: options.suffix, kind: 'rehearsal' })
  return withModuleLock(options, async (superuser) => {
    await dropSchema(superuser, roles)
    await provisionSchema(superuser, { ...options, database: options.superuser.database, kind: 'rehearsal' })
    try {
      return await rehearseIn(superuser, roles, options)
    } finally {
      await dropSchema(superuser, roles)
    }
  })
}

async function rehearseIn<File extends MigrationHead>(
  superuser: pg.Client,
  roles: ModuleRoles,
  options: RehearsalOptions<File>,
): Promise<RehearsalReport> {
  const live = moduleRoleNames(options.slug, { suffix: options.suffix })
  const applied = new Set((await readHistory(superuser, live.schema)).map(({ version }) => version))
  const files = options.files.toSorted((a, b) => (a.version < b.version ? -1 : 1))
  const before = files.filter(({ version }) => applied.has(version))
  const pending = files.filter(({ version }) => !applied.has(version))
  // What is applied was judged when it was new: the tables are unknown to it, so nothing is a danger to them.
  const old = await planAll(before, options, roles, [], 'rehearsal')
  const fresh = await planAll(pending, options, roles, await knownColumns(superuser, live.schema), 'rehearsal')
  return withOwner(superuser, options, roles, async (session) => {
    const context: RunContext = { kind: 'rehearsal', release: 'rehearsal', tenantIds: [rehearsalTenant] }
    for (const { file, plan } of old) await applyMigration(session, file, plan, context)
    const tables = await fillTables(superuser, session, { rows: options.rows ?? 1_000, tenantId: rehearsalTenant })
    const migrations: MigrationRehearsal[] = []
    for (const { file, plan } of fresh) {
      const measured = await measureMigration(superuser, session, file, plan, context)
      migrations.push(measured)
      if (measured.error) break
    }
    return { tables, migrations }
  })
}
