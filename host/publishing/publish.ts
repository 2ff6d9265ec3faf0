import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { moveVersion } from '../lifecycle/moves.ts'
import { type AppRecord, type Db, findVersion, type VersionRecord } from '../lifecycle/records.ts'
import { errorsOf } from '../lifecycle/report.ts'
import { listSqlDrafts, sqlDraftFiles } from '../lifecycle/sql-drafts.ts'
import { type BuiltVersion, buildVersion } from './version/build-version.ts'
import { existingApp } from './version/existing-app.ts'
import { publishVersion } from './publish-version.ts'
import type { PublisherContext } from './publisher-context.ts'
import { parseManifest } from './source/read-manifest.ts'
import { refused } from './refused.ts'
import { completeReport, storeReport } from './review-version.ts'
import { hashOfSource, type SourceFiles } from './source/source-files.ts'
import { type StoredDraft, storeDraft } from './version/store-draft.ts'
import { draftName } from './version/draft-name.ts'
import type { Workbench } from './source/workshop.ts'

export type Publication = {
  actor: Actor
  files: SourceFiles
  /** Submits, reviews, approves and publishes at once: the operator's. */
  approve: boolean
  /** Locks the draft and hands it to the reviewers. */
  submit?: boolean
  /**
   * Samples: where the version's name is taken by other content, a suffix is added, and a version of this very source that was
   * left on its way, by a start that was killed, goes on from its state.
   */
  renameTaken?: boolean
  sourceHash?: string
}

export type Published = {
  slug: string
  version: string
  state: VersionRecord['state']
  migrations: string[]
  warnings: number
}

/** Everything between a module's source and its version. Nothing is stored unless every step held. */
export async function publish(context: PublisherContext, publication: Publication): Promise<Published> {
  const { actor, approve } = publication
  if (approve && actor.kind !== 'operator') throw new ServiceError('forbidden')
  const declared = parseManifest(publication.files)
  const app = await existingApp(context, actor, declared)
  const files = await withSqlDrafts(context, app, publication.files)
  const sourceHash = publication.sourceHash ?? hashOfSource(files)
  const build = async (bench: Workbench): Promise<Published> => {
    const built = await buildVersion(context, bench, files, app)
    const left = app && publication.renameTaken ? await leftOnItsWay(context.system, app, sourceHash) : null
    const newName = () => draftName(context, app, built.manifest, { ...publication, sourceHash })
    const stored =
      left ?? (await storeDraft(context, { actor, app, built, files, version: await newName(), sourceHash }))
    const { version } = stored.version
    const published = { slug: stored.app.slug, version, warnings: built.report.findings?.length ?? 0 }
    if (!approve) return { ...published, state: await stateAfter(context, publication, stored), migrations: [] }
    return { ...published, ...(await approveAtOnce(context, publication.actor, stored, bench, built)) }
  }
  return context.inBuildTurn(actor, () => context.workshop.withSource(files, build))
}

/** A version of this source that is locked, and not published. */
async function leftOnItsWay(db: Db, app: AppRecord, sourceHash: string): Promise<StoredDraft | null> {
  const { rows } = await db.query<{ version: string }>(
    `select version from core.app_versions where app_id = $1 and scan ->> 'sourceHash' = $2
      and state in ('submitted', 'in_review', 'approved') order by created_at desc, id desc limit 1`,
    [app.id, sourceHash],
  )
  return rows[0] ? { app, version: await findVersion(db, app, rows[0].version) } : null
}

async function stateAfter(
  { system, clock }: PublisherContext,
  { actor, submit }: Publication,
  { app, version }: StoredDraft,
): Promise<VersionRecord['state']> {
  if (!submit) return version.state
  return (await moveVersion(system, { actor, app, version: version.version, move: 'submit', now: clock() })).state
}

/** The way of every version from where it is, without waiting: each move is recorded, and what a check refuses is not approved. */
async function approveAtOnce(
  context: PublisherContext,
  actor: Actor,
  { app, version: stored }: StoredDraft,
  bench: Workbench,
  built: BuiltVersion,
): Promise<{ state: VersionRecord['state']; migrations: string[] }> {
  const { version, state: begun } = stored
  const move = (name: 'submit' | 'approve') =>
    moveVersion(context.system, { actor, app, version, move: name, now: context.clock() })
  const report = await completeReport(context, app, bench, built)
  const errors = errorsOf(report)
  // A draft stays one, open for mending.
  if (errors.length > 0) throw refused('the review refuses it', errors)
  if (begun === 'draft') await move('submit')
  if (begun === 'draft' || begun === 'submitted')
    await storeReport(context, actor, app, stored, { report, manifest: built.manifest })
  if (begun !== 'approved') await move('approve')
  const { state, migrations } = await publishVersion(context, { actor, slug: app.slug, version }, bench)
  return { state, migrations }
}

/** SQL of the portal is a migration like those of the folder. */
async function withSqlDrafts(
  { system }: PublisherContext,
  app: AppRecord | null,
  files: SourceFiles,
): Promise<SourceFiles> {
  return app ? { ...files, ...sqlDraftFiles(await listSqlDrafts(system, app)) } : files
}
