import type pg from 'pg'
import { emptySchema } from '../../../policy/migrations/known-schema.ts'
import { withSession } from '../../database/with-session.ts'
import { dropSchema, provisionSchema } from '../../module-database/provision.ts'
import { type ModuleRoles, moduleRoleNames } from '../../module-database/role-names.ts'
import { applyMigration, inOneTransaction, isData, migrationSteps, type RunContext } from './apply.ts'
import { fillTables, type GeneratedTable } from './generated-rows.ts'
import { readHistory } from './history.ts'
import { planAll } from './import.ts'
import { knownSchema } from './known-schema.ts'
import {
  type ImportTarget,
  type MigrationHead,
  MigrationImportError,
  type MigrationPlanner,
  type PlannedMigration,
} from './migration-types.ts'
import { type MigrationRehearsal, measureMigration } from './measured-migration.ts'
import { type OwnerSession, tryModuleLock, withModuleLock, withOwner } from './owner-session.ts'

export type RehearsalOptions<File extends MigrationHead> = ImportTarget & {
  files: readonly File[]
  plan: MigrationPlanner<File>
  /** The code of the versions that run somewhere: see ImportOptions. */
  runningCode?: () => Promise<readonly string[]>
  /** Rows that each table gets before the migrations are tried. Default 1,000. */
  rows?: number
}

export type RehearsalReport = {
  /** The tables as they are now, and how many generated rows each got. */
  tables: GeneratedTable[]
  /** The migrations that the live schema does not have yet, in order; after a failing one there is none. */
  migrations: MigrationRehearsal[]
  /** Why a school that installs this release could not be given the rows of all its migrations; null where it can. */
  laterSchool: string | null
}

/** Nobody's: ULIDs that no school has. */
const rehearsalTenant = '00000000000000000000000000'
const laterTenant = '00000000000000000000000001'

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
  const history = await readHistory(superuser, live.schema)
  const applied = new Set(history.map(({ version }) => version))
  const files = options.files.toSorted((a, b) => (a.version < b.version ? -1 : 1))
  const before = files.filter(({ version }) => applied.has(version))
  const lost = history.find(({ version }) => !before.some((file) => file.version === version))
  if (lost) {
    const file = `${lost.version}_${lost.name}`
    const message = `${file} is applied and not among the files: the copy cannot be made without it, put it back`
    throw new MigrationImportError('changed', message, { file, kind: 'rehearsal' })
  }
  // What is applied was judged when it was new: the tables are unknown to it, so nothing is a danger to them.
  const old = await planAll(before, { ...options, applied: true }, roles, emptySchema(), 'rehearsal')
  const pending = files.filter(({ version }) => !applied.has(version))
  const known = await knownSchema(superuser, live.schema, await options.runningCode?.())
  const fresh = await planAll(pending, options, roles, known, 'rehearsal')
  return withOwner(superuser, options, roles, async (session) => {
    const context: RunContext = { kind: 'rehearsal', release: 'rehearsal', tenantIds: [rehearsalTenant] }
    for (const { file, plan } of old) await applyMigration(session, file, plan, context)
    const tables = await fillTables(superuser, session, { rows: options.rows ?? 1_000, tenantId: rehearsalTenant })
    const migrations: MigrationRehearsal[] = []
    for (const { file, plan } of fresh) {
      const measured = await measureMigration(superuser, session, file, plan, context)
      migrations.push(measured)
      if (measured.error) return { tables, migrations, laterSchool: null }
    }
    return { tables, migrations, laterSchool: await refusalOfLaterSchool(session, [...old, ...fresh]) }
  })
}

/** Data statements were written for the tables of their time; a school that comes later gets them into those of today. */
async function refusalOfLaterSchool(
  session: OwnerSession,
  planned: readonly { file: MigrationHead; plan: PlannedMigration }[],
): Promise<string | null> {
  const context = { kind: 'rehearsal' as const, tenantIds: [laterTenant] }
  try {
    for (const { file, plan } of planned) {
      const statements = plan.statements.filter(isData)
      if (statements.length === 0) continue
      await inOneTransaction(session, migrationSteps(session, { statements }, context), file, context)
    }
    return null
  } catch (error) {
    if (error instanceof MigrationImportError) return error.message
    throw error
  }
}

/** Removes the copies that a killed publisher left behind; one whose run is under way stays. Answers their schemas. */
export async function removeRehearsals(target: Pick<ImportTarget, 'superuser' | 'suffix'>): Promise<string[]> {
  return withSession(target.superuser, async (superuser) => {
    const { rows } = await superuser.query<{ slug: string }>(
      `select slug from module_host.modules where schema like 'r\\_%' order by slug`,
    )
    const removed: string[] = []
    for (const { slug } of rows) {
      if (!(await tryModuleLock(superuser, slug))) continue
      const roles = moduleRoleNames(slug, { suffix: target.suffix, kind: 'rehearsal' })
      await dropSchema(superuser, roles)
      removed.push(roles.schema)
    }
    return removed
  })
}
