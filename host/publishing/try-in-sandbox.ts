import { createHash } from 'node:crypto'
import { ulid } from 'ulid'
import type pg from 'pg'
import { type Actor, requireOwner } from '../lifecycle/actor.ts'
import { type AppRecord, type Db, findVersion, type VersionRecord } from '../lifecycle/records.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { liftStrikes } from '../embedded-apps/strikes.ts'
import { issueFirstToken } from '../installations/install.ts'
import { createCipher } from '../security/cipher.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import { hashCode } from '../security/bundle-signature.ts'
import { sandboxTenantId } from '../seeds/seed.ts'
import { createApp } from './version/create-app.ts'
import { checkContributions } from './version/check-contributions.ts'
import { discover } from './version/discover.ts'
import { existingApp } from './version/existing-app.ts'
import { importModuleMigrations } from './migrations/module-migrations.ts'
import type { PublisherContext } from './publisher-context.ts'
import { type Manifest, parseManifest, readManifest } from './source/read-manifest.ts'
import { refused } from './refused.ts'
import { signStored } from './version/sign-stored.ts'
import type { SourceFiles } from './source/source-files.ts'

export type Trial = { actor: Actor; files: SourceFiles }
export type Tried = { slug: string; version: string; migrations: string[] }

/** What `partner dev` saves: it runs in the shared sandbox school at once, signed for sandbox tenants only. */
export async function tryInSandbox(context: PublisherContext, { actor, files }: Trial): Promise<Tried> {
  const declared = parseManifest(files)
  const app = await existingApp(context, actor, declared)
  if (app) requireOwner(actor, app)
  try {
    return await context.workshop.withSource(files, async (bench) => {
      const rules = { allowLoopback: context.settings.ALLOW_LOOPBACK_CALLBACKS }
      const [{ manifest: written, findings }, bundled] = await Promise.all([
        readManifest(bench, declared, app?.declarations ?? {}, rules),
        bench.builder.ask('bundle'),
      ])
      if (!written) throw refused('the manifest is refused', findings)
      if ('findings' in bundled) throw refused('the module does not compile', bundled.findings)
      const { code, sourceMap } = bundled.bundle
      const hash = hashCode(code)
      const slug = written.moduleId
      const version = `${written.version}-dev.${shortHash(hash, files['manifest.json'])}`
      const [contributions, migrations] = await Promise.all([
        discover(context, slug, { code, sourceMap, hash }),
        Object.keys(files).some((path) => path.startsWith('migrations/'))
          ? importModuleMigrations(context, { slug, builder: bench.builder, release: version, kinds: ['sandbox'] })
          : [],
      ])
      const { manifest, findings: contributed } = await checkContributions(bench, written, contributions, rules)
      if (contributed.length > 0) throw refused('the module is refused by the policy', contributed)
      await inTransaction(context.system, async (db) => {
        const owner = app ?? (await createApp(db, actor, manifest))
        const trial = { version, manifest, contributions, hash, code, sourceMap }
        await install(context, db, owner, await storeTrial(context, db, owner, trial))
      })
      await untilConfirmed(context.system)
      return { slug, version, migrations }
    })
  } finally {
    context.workshop.prepare()
  }
}

const shortHash = (...parts: (string | undefined)[]) =>
  createHash('sha256').update(parts.join()).digest('hex').slice(0, 12)

type StoredTrial = {
  version: string
  manifest: Manifest
  contributions: Record<string, unknown>
  hash: string
  code: string
  sourceMap: string
}

async function storeTrial(
  context: PublisherContext,
  db: Db,
  app: AppRecord,
  { version, manifest, contributions, hash, code, sourceMap }: StoredTrial,
): Promise<VersionRecord> {
  await db.query(
    `insert into core.app_bundles (hash, code, source_map) values ($1, $2, $3)
      on conflict (hash) do update set hash = excluded.hash`,
    [hash, code, sourceMap],
  )
  // Without a stored source it can never be reviewed: it stays what it is.
  await db.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, contributions, bundle_hash)
      values ($1, $2, $3, 'draft', $4, $5, $6) on conflict (app_id, version) do nothing`,
    [ulid(), app.id, version, JSON.stringify(manifest), JSON.stringify(contributions), hash],
  )
  const stored = await findVersion(db, app, version)
  await signStored(context, db, app, stored, { scan: 'unscanned', review: 'sandbox' })
  return stored
}

/** In place of what the sandbox school had, with all the scopes it asks for; earlier trials are forgotten. */
async function install(
  { keys, clock }: PublisherContext,
  db: pg.ClientBase,
  app: AppRecord,
  version: VersionRecord,
): Promise<void> {
  const scopes = (version.manifest as Manifest).scopes.map(({ key }) => key)
  const { rows } = await db.query<{ id: string }>(
    `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited) values ($1, $2, $3, $4, $5, false)
      on conflict (tenant_id, app_id) where status <> 'uninstalled'
      do update set version_id = excluded.version_id, granted_scopes = excluded.granted_scopes returning id`,
    [sandboxTenantId, ulid(), app.id, version.id, scopes],
  )
  const installation = { tenantId: sandboxTenantId, installationId: rows[0]!.id, environment: 'test' } as const
  // What stopped there was an earlier trial.
  await liftStrikes(db, { slug: app.slug, tenantId: sandboxTenantId })
  await issueFirstToken({ cipher: createCipher(keys.data), clock }, db, installation)
  await db.query(
    `delete from core.app_versions v where v.app_id = $1 and v.id <> $2 and v.review_verdict = 'sandbox'
      and not exists (select from core.installations i where i.version_id = v.id)`,
    [app.id, version.id],
  )
}
