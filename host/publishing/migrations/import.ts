import type pg from 'pg'
import { emptySchema, type KnownSchema } from '../../../policy/migrations/known-schema.ts'
import {
  type ModuleRoles,
  moduleRoleNames,
  type SchemaKind,
  type TenantSchemaKind,
} from '../../module-database/role-names.ts'
import { applyMigration } from './apply.ts'
import { pendingMigrations, readHistory } from './history.ts'
import { knownSchema } from './known-schema.ts'
import {
  type AppliedMigration,
  type ImportTarget,
  type MigrationHead,
  MigrationImportError,
  type MigrationPlanner,
  type PlannedMigration,
} from './migration-types.ts'
import { withModuleLock, withOwner } from './owner-session.ts'
import { bringUpToDate } from './tenant-data.ts'

export type TenantsOfModule = { sandbox: readonly string[]; live: readonly string[] }

export type ImportOptions<File extends MigrationHead> = ImportTarget & {
  files: readonly File[]
  plan: MigrationPlanner<File>
  /** The version of the app that brings them, for the history. */
  release: string
  /**
   * Whose rows the data statements change: every tenant that has the app, by schema. Asked when no other run is under
   * way, so a school that installs meanwhile is either among them or gets the rows by `applyTenantData`. One that is yet to
   * get earlier rows gets those first.
   */
  tenants: () => Promise<TenantsOfModule>
  /** The code of the versions that run somewhere; without it all that a schema holds counts as used. */
  runningCode?: () => Promise<readonly string[]>
  /** Drafts and `partner dev` stop at the sandbox. Default: both. */
  kinds?: readonly TenantSchemaKind[]
}

/** Told of each migration once it is applied; the next one waits for it. */
type Report = (applied: AppliedMigration) => unknown

type Target<File> = { kind: TenantSchemaKind; roles: ModuleRoles; pending: { file: File; plan: PlannedMigration }[] }

/**
 * Applies a module's migrations: first in the sandbox's schema, then in the live one, each migration in a transaction of
 * its own together with its history. Every check of every file comes before the first statement in either schema, those
 * by the live one first. Two importers at once: the second waits, and finds the work done. Throws MigrationImportError.
 */
export async function importMigrations<File extends MigrationHead>(
  options: ImportOptions<File>,
  report: Report = () => {},
): Promise<AppliedMigration[]> {
  return withModuleLock(options, async (superuser) => {
    const { kinds = ['sandbox', 'live'] } = options
    const targets: Target<File>[] = []
    // Prepared the other way round: what the live schema refuses is no reason for a caller to begin the sandbox anew.
    for (const kind of (['live', 'sandbox'] as const).filter((one) => kinds.includes(one)))
      targets.unshift(await prepareTarget(superuser, options, kind))
    const tenants = await options.tenants()
    const applied: AppliedMigration[] = []
    for (const target of targets) {
      await applyAll(superuser, options, target, tenants[target.kind], (migration) => {
        applied.push(migration)
        return report(migration)
      })
    }
    return applied
  })
}

async function prepareTarget<File extends MigrationHead>(
  superuser: pg.Client,
  options: ImportOptions<File>,
  kind: TenantSchemaKind,
): Promise<Target<File>> {
  const roles = moduleRoleNames(options.slug, { suffix: options.suffix, kind })
  const files = pendingMigrations(options.files, await readHistory(superuser, roles.schema), kind)
  const known =
    files.length === 0 ? emptySchema() : await knownSchema(superuser, roles.schema, await options.runningCode?.())
  return { kind, roles, pending: await planAll(files, options, roles, known, kind) }
}

/** `known`: what installed versions may use. */
export async function planAll<File extends MigrationHead>(
  files: readonly File[],
  options: { slug: string; plan: MigrationPlanner<File>; applied?: boolean },
  roles: ModuleRoles,
  known: KnownSchema,
  kind: SchemaKind,
): Promise<{ file: File; plan: PlannedMigration }[]> {
  const planned: { file: File; plan: PlannedMigration }[] = []
  const target = {
    schema: `m_${options.slug}`,
    runSchema: roles.schema,
    runtimeRole: roles.runtime,
    knownTables: new Set(known.columns.map(({ table }) => table)),
    known,
    applied: options.applied ?? false,
  }
  for (const file of files) {
    const plan = await options.plan(file, target)
    if (!plan.ok) {
      const first = plan.findings.find(({ severity }) => severity === 'error')
      const place = { file: file.file, kind, findings: plan.findings, ...(first && { line: first.line }) }
      throw new MigrationImportError(
        'refused',
        `${file.file}:${first?.line ?? 1}: ${first?.reason ?? 'refused'}`,
        place,
      )
    }
    planned.push({ file, plan })
  }
  return planned
}

async function applyAll<File extends MigrationHead>(
  superuser: pg.Client,
  options: ImportOptions<File>,
  { kind, roles, pending }: Target<File>,
  tenantIds: readonly string[],
  report: Report,
): Promise<void> {
  if (pending.length === 0) return
  await withOwner(superuser, options, roles, async (session) => {
    const upToDate = await bringUpToDate(superuser, session, { kind, tenantIds })
    const context = { kind, release: options.release, tenantIds: upToDate }
    for (const { file, plan } of pending) {
      const start = performance.now()
      await applyMigration(session, file, plan, context)
      await report({
        file: file.file,
        version: file.version,
        kind,
        milliseconds: Math.round(performance.now() - start),
      })
    }
  })
  await superuser.query('select module_host.audit_schema($1)', [roles.schema])
}
