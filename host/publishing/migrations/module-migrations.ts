import { randomUUID } from 'node:crypto'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import type { KnownSchema } from '../../../policy/migrations/known-schema.ts'
import type { Builder } from '../../builder/builder.ts'
import { holdTime } from '../../installations/uninstall.ts'
import { dropSchema, provisionModule } from '../../module-database/provision.ts'
import { moduleRoleNames, type TenantSchemaKind } from '../../module-database/role-names.ts'
import { noteColumns } from './gone-columns.ts'
import { importTarget } from './import-target.ts'
import { type ImportOptions, importMigrations, type TenantsOfModule } from './import.ts'
import { type AppliedMigration, MigrationImportError, type MigrationPlanner } from './migration-types.ts'
import { requireItsColumns } from './overtaken.ts'
import { type RehearsalReport, rehearse } from './rehearse.ts'
import { runningCode } from './running-code.ts'
import { withModuleLock } from './owner-session.ts'
import { migrationStatus } from './status.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { runtimeConnections } from '../runtime-connections.ts'
import { fromImport, refused } from '../refused.ts'

/** Files are read and planned by the builder: strangers' PHP and SQL are parsed there. Runs are told apart by `known`. */
function plannerOf(builder: Builder): MigrationPlanner<MigrationFile> {
  const runs = new WeakMap<KnownSchema, string>()
  return ({ version }, { known, ...target }) => {
    const id = runs.get(known) ?? randomUUID()
    const run = runs.has(known) ? { id } : { id, known }
    runs.set(known, id)
    return builder.ask('plan', { version, run, target: { ...target, knownTables: [...target.knownTables] } })
  }
}

export type ModuleImport = {
  slug: string
  builder: Builder
  /** The version that brings them, for the history. */
  release: string
  /** `sandbox` alone for what is not published. */
  kinds: readonly TenantSchemaKind[]
}

/** Makes the module's schemas and applies what its folder adds: first in the sandbox's, then in the live one. */
export async function importModuleMigrations(context: PublisherContext, request: ModuleImport): Promise<string[]> {
  const { slug, builder, release, kinds } = request
  const { migrations } = await builder.ask('migrations')
  await provision(context, slug)
  if (kinds.includes('live')) await noteColumns(context, slug)
  const note = async ({ kind, version }: AppliedMigration) => {
    if (kind === 'live') await noteColumns(context, slug, version)
  }
  const options: ImportOptions<MigrationFile> = {
    ...importTarget(context, slug),
    files: migrations,
    plan: plannerOf(builder),
    release,
    tenants: () => tenantsOf(context, slug),
    runningCode: () => runningCode(context, slug),
    kinds,
  }
  try {
    if (kinds.includes('live')) await requireItsColumns(context, request, migrations)
    const applied = await importMigrations(options, note).catch(async (error) => {
      if (!isOfSandbox(error) || !(await hasOtherTrials(context, slug, migrations, error))) throw error
      // Drafts were tried there with other files: the sandbox begins anew, the live schema never does.
      await resetSandbox(context, slug)
      return importMigrations(options, note)
    })
    return [...new Set(applied.map(({ file }) => file))]
  } catch (error) {
    if (!(error instanceof MigrationImportError)) throw error
    throw refused(error.kind === 'sandbox' ? `${error.message} (in the sandbox)` : error.message, fromImport(error))
  }
}

/**
 * Tries what is pending on a copy of the live schema with generated rows. Null where there is no table to try it on. Throws
 * MigrationImportError where no copy can be made: what is applied is not among the files, or refused by the rules of today.
 */
export async function rehearseModule(
  context: PublisherContext,
  slug: string,
  builder: Builder,
): Promise<RehearsalReport | null> {
  const { migrations } = await builder.ask('migrations')
  const { live } = await moduleStatus(context, slug)
  const applied = new Set(live.map(({ version }) => version))
  if (live.length === 0 || migrations.every(({ version }) => applied.has(version))) return null
  const running = () => runningCode(context, slug)
  return rehearse({ ...importTarget(context, slug), files: migrations, plan: plannerOf(builder), runningCode: running })
}

/** What is applied in each of the module's schemas. */
export async function moduleStatus({ provisioning, suffix }: PublisherContext, slug: string) {
  const client = await provisioning.connect()
  try {
    return await migrationStatus(client, { slug, suffix })
  } finally {
    client.release()
  }
}

const isOfSandbox = (error: unknown): error is MigrationImportError =>
  error instanceof MigrationImportError && error.kind === 'sandbox'

/** Whether the sandbox has what neither the live schema has nor these files bring as it is there. */
async function hasOtherTrials(
  context: PublisherContext,
  slug: string,
  files: readonly MigrationFile[],
  { code }: MigrationImportError,
): Promise<boolean> {
  if (code === 'changed' || code === 'out_of_order') return true
  const { sandbox, live } = await moduleStatus(context, slug)
  const known = new Set([...files, ...live].map(({ version }) => version))
  return sandbox.some(({ version }) => !known.has(version))
}

const provisionOptions = (context: PublisherContext, slug: string) => ({
  ...importTarget(context, slug),
  database: context.database,
  runtimeConnections: runtimeConnections(context.settings),
})

async function provision(context: PublisherContext, slug: string): Promise<void> {
  const client = await context.provisioning.connect()
  try {
    await provisionModule(client, provisionOptions(context, slug))
  } finally {
    client.release()
  }
}

/** Under the module's lock: another import would lose its session, or find no role to sign in as. */
async function resetSandbox(context: PublisherContext, slug: string): Promise<void> {
  const target = importTarget(context, slug)
  await withModuleLock(target, async (superuser) => {
    await dropSchema(superuser, moduleRoleNames(slug, { suffix: context.suffix, kind: 'sandbox' }))
    await provisionModule(superuser, provisionOptions(context, slug))
  })
}

/**
 * Those that uninstalled it too: what a migration mends in rows, the next one may demand of all. Not those that are to be
 * erased by now: they may have no rows any more, and must get none.
 */
async function tenantsOf({ system, clock }: PublisherContext, slug: string): Promise<TenantsOfModule> {
  const { rows } = await system.query<{ id: string; sandbox: boolean }>(
    `select distinct t.id, t.sandbox from core.installations i join core.apps a on a.id = i.app_id
      join core.tenants t on t.id = i.tenant_id
      where a.slug = $1 and (i.status <> 'uninstalled' or i.uninstalled_at > $2)`,
    [slug, new Date(clock().getTime() - holdTime)],
  )
  const ids = (sandbox: boolean) => rows.filter((row) => row.sandbox === sandbox).map(({ id }) => id)
  return { sandbox: ids(true), live: ids(false) }
}
