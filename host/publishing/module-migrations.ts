import { createHmac } from 'node:crypto'
import type { MigrationFile } from '../../policy/migrations/folder.ts'
import type { Builder } from '../builder/builder.ts'
import { dropSchema, provisionModule, type RoleSecrets } from '../module-database/provision.ts'
import { moduleRoleNames } from '../module-database/role-names.ts'
import { runtimeSecrets } from '../security/module-secrets.ts'
import { type ImportOptions, importMigrations } from './migrations/import.ts'
import { MigrationImportError, type MigrationPlanner } from './migrations/migration-types.ts'
import { type RehearsalReport, rehearse } from './migrations/rehearse.ts'
import { migrationStatus } from './migrations/status.ts'
import type { PublisherContext } from './publisher-context.ts'
import { fileFinding, fromMigration, refused } from './refused.ts'

/** Files are read and planned by the builder: strangers' PHP and SQL are parsed there. */
const plannerOf =
  (builder: Builder): MigrationPlanner<MigrationFile> =>
  ({ version }, target) =>
    builder.ask('plan', { version, target: { ...target, knownTables: [...target.knownTables] } })

export type ModuleImport = {
  slug: string
  builder: Builder
  /** The version that brings them, for the history. */
  release: string
  /** `sandbox` alone for what is not published. */
  kinds: readonly ('sandbox' | 'live')[]
}

/** Makes the module's schemas and applies what its folder adds: first in the sandbox's, then in the live one. */
export async function importModuleMigrations(context: PublisherContext, request: ModuleImport): Promise<string[]> {
  const { slug, builder, release, kinds } = request
  const { migrations } = await builder.ask('migrations')
  await provision(context, slug)
  const options: ImportOptions<MigrationFile> = {
    ...importTarget(context, slug),
    files: migrations,
    plan: plannerOf(builder),
    release,
    tenants: await tenantsOf(context, slug),
    kinds,
  }
  try {
    const applied = await importMigrations(options).catch(async (error) => {
      if (!isSandboxHistory(error)) throw error
      // Drafts were tried there with files that changed since: the sandbox begins anew, the live schema never does.
      await resetSandbox(context, slug)
      return importMigrations(options)
    })
    return [...new Set(applied.map(({ file }) => file))]
  } catch (error) {
    if (!(error instanceof MigrationImportError)) throw error
    const { code, file, line, findings, message } = error
    const whole = { ...fileFinding(code, `migrations/${file}`, message), line: line ?? 1 }
    throw refused(message, findings.length > 0 ? findings.map(fromMigration) : [whole])
  }
}

/** Tries what is pending on a copy of the live schema with generated rows. Null where there is no table to try it on. */
export async function rehearseModule(
  context: PublisherContext,
  slug: string,
  builder: Builder,
): Promise<RehearsalReport | null> {
  const { migrations } = await builder.ask('migrations')
  const { live } = await moduleStatus(context, slug)
  const applied = new Set(live.map(({ version }) => version))
  if (live.length === 0 || migrations.every(({ version }) => applied.has(version))) return null
  return rehearse({ ...importTarget(context, slug), files: migrations, plan: plannerOf(builder) })
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

const isSandboxHistory = (error: unknown): boolean =>
  error instanceof MigrationImportError && error.kind === 'sandbox' && ['changed', 'out_of_order'].includes(error.code)

const importTarget = (context: PublisherContext, slug: string) => ({
  ...moduleSecrets(context),
  slug,
  suffix: context.suffix,
  superuser: context.credential,
})

async function provision(context: PublisherContext, slug: string): Promise<void> {
  const client = await context.provisioning.connect()
  try {
    const { database, suffix } = context
    await provisionModule(client, { ...moduleSecrets(context), slug, database, suffix })
  } finally {
    client.release()
  }
}

async function resetSandbox(context: PublisherContext, slug: string): Promise<void> {
  const client = await context.provisioning.connect()
  try {
    await dropSchema(client, moduleRoleNames(slug, { suffix: context.suffix, kind: 'sandbox' }))
  } finally {
    client.release()
  }
  await provision(context, slug)
}

/** Runtime roles' secrets are those the web processes derive; owners' come from a key that only the publisher has. */
function moduleSecrets({ keys }: PublisherContext): RoleSecrets {
  const runtime = runtimeSecrets(keys.runtime)
  const owner = (purpose: string, role: string) =>
    createHmac('sha256', keys.owner).update(`${purpose}:${role}`).digest('base64url')
  const isRuntime = (role: string) => /_rt(_[0-9a-f]{8})?$/.test(role)
  return {
    passwordOf: (role) => (isRuntime(role) ? runtime.passwordOf(role) : owner('module role', role)),
    gateSecretOf: (role) => (isRuntime(role) ? runtime.gateSecretOf(role) : owner('tenant gate', role)),
  }
}

async function tenantsOf({ system }: PublisherContext, slug: string): Promise<{ sandbox: string[]; live: string[] }> {
  const { rows } = await system.query<{ id: string; sandbox: boolean }>(
    `select t.id, t.sandbox from core.installations i join core.apps a on a.id = i.app_id join core.tenants t on t.id = i.tenant_id
      where a.slug = $1 and i.status <> 'uninstalled'`,
    [slug],
  )
  const ids = (sandbox: boolean) => rows.filter((row) => row.sandbox === sandbox).map(({ id }) => id)
  return { sandbox: ids(true), live: ids(false) }
}
