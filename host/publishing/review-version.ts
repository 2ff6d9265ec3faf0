import { codeHere } from '../../policy/manifest/hosting.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { toldJson } from '../database/told-text.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { recordMove } from '../lifecycle/moves.ts'
import { type AppRecord, findApp, findVersion, type VersionRecord } from '../lifecycle/records.ts'
import type { ReviewReport } from '../lifecycle/report.ts'
import { requireMove } from '../lifecycle/states.ts'
import { inTransaction } from '../database/in-transaction.ts'
import type { Builder } from '../builder/builder.ts'
import type { ReportedFinding } from '../builder/messages.ts'
import { type BuiltVersion, buildVersion } from './version/build-version.ts'
import { MigrationImportError } from './migrations/migration-types.ts'
import { rehearseModule } from './migrations/module-migrations.ts'
import type { RehearsalReport } from './migrations/rehearse.ts'
import type { PublisherContext } from './publisher-context.ts'
import type { Manifest } from './source/read-manifest.ts'
import { fileFinding, fromImport, refusalOf } from './refused.ts'
import { readStoredSource } from './source/stored-source.ts'
import type { Workbench } from './source/workshop.ts'

export type ReviewRequest = { actor: Actor; slug: string; version: string }

/**
 * Submitted → in review. Every check is made again on the stored source, with the rules of today, and the migrations
 * are rehearsed; what was found is on the version for whoever reviews it.
 */
export async function startReview(
  context: PublisherContext,
  request: ReviewRequest,
): Promise<ReviewReport & { state: 'in_review' }> {
  const { actor, slug } = request
  const app = await findApp(context.system, actor, slug)
  const version = await findVersion(context.system, app, request.version)
  requireMove(actor, 'start_review', { partnerId: app.partnerId, state: version.state })
  const files = await readStoredSource(context.system, version)
  const { report, manifest } = await context.workshop.withSource(files, async (bench): Promise<Reviewed> => {
    const built = await buildVersion(context, bench, files, app).catch(refusalOf)
    if ('findings' in built)
      return { report: { checked_at: context.clock().toISOString(), findings: built.findings }, manifest: null }
    const report = await completeReport(context, app, bench, { ...built, findings: sameBundle(built, version) })
    return { report, manifest: built.manifest }
  })
  await storeReport(context, actor, app, version, { report, manifest })
  return { ...report, state: 'in_review' }
}

type CheckedVersion = Pick<BuiltVersion, 'report' | 'manifest'> & { findings?: ReportedFinding[] }

/** What only a review looks at: the rehearsal of migrations, and the webhook URL of an app hosted elsewhere. */
export async function completeReport(
  context: PublisherContext,
  app: AppRecord,
  { builder }: Workbench,
  { report, manifest, findings = report.findings ?? [] }: CheckedVersion,
): Promise<ReviewReport> {
  const { rehearsal, stopped } = await rehearsed(context, app, builder, manifest)
  const failed = rehearsal?.migrations.filter(({ error }) => error !== undefined) ?? []
  const failures = failed.map(({ file, error }) => fileFinding('rehearsal-failed', `migrations/${file}`, error!))
  if (rehearsal?.laterSchool) failures.push(fileFinding('rehearsal-failed', 'migrations', rehearsal.laterSchool))
  const url = manifest.external?.webhookUrl
  return {
    ...report,
    findings: [...findings, ...stopped, ...failures],
    ...(rehearsal ? { rehearsal } : {}),
    ...(url ? { probe: await context.probeWebhook(app, url) } : {}),
  }
}

/** Where no copy can be made of what is applied, why: a finding, which the review tells and refuses. */
async function rehearsed(
  context: PublisherContext,
  { slug }: AppRecord,
  builder: Builder,
  manifest: Manifest,
): Promise<{ rehearsal: RehearsalReport | null; stopped: ReportedFinding[] }> {
  if (codeHere(manifest) === 'refused') return { rehearsal: null, stopped: [] }
  try {
    return { rehearsal: await rehearseModule(context, slug, builder), stopped: [] }
  } catch (error) {
    if (!(error instanceof MigrationImportError)) throw error
    return { rehearsal: null, stopped: fromImport(error) }
  }
}

/** What was looked at: the manifest as the app's own declarations fill it by now, or null where it is refused. */
export type Reviewed = { report: ReviewReport; manifest: Manifest | null }

/** The version keeps the report, and the manifest that it is about: what is published is what was reviewed. */
export async function storeReport(
  context: PublisherContext,
  actor: Actor,
  app: AppRecord,
  seen: VersionRecord,
  { report, manifest }: Reviewed,
): Promise<void> {
  await inTransaction(context.system, async (db) => {
    const version = await findVersion(db, app, seen.version, { lock: true })
    // Rejected, edited and submitted again meanwhile: the report is about what it was before.
    if (version.editedAt.getTime() !== seen.editedAt.getTime()) throw new ServiceError('invalid_state')
    requireMove(actor, 'start_review', { partnerId: app.partnerId, state: version.state })
    await recordMove(db, version, { actor, move: 'start_review', now: context.clock() })
    await db.query('update core.app_versions set report = $2, manifest = coalesce($3, manifest) where id = $1', [
      version.id,
      toldJson(report),
      manifest && JSON.stringify(manifest),
    ])
  })
}

/** A version that no longer comes to the bundle that was stored is not what its partner submitted. */
function sameBundle({ report, code }: BuiltVersion, version: VersionRecord): ReportedFinding[] {
  const findings = report.findings ?? []
  if ((code?.hash ?? null) === version.bundleHash) return findings
  const message = 'bundling it again gives other code: edit the draft and submit it again'
  return [...findings, fileFinding('bundle-changed', 'src/index.ts', message)]
}
