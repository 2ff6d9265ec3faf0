import pg from 'pg'
import { ulid } from 'ulid'
import { ServiceError } from '../../../partner-services/service/errors.ts'
import { inTransaction } from '../../database/in-transaction.ts'
import { toldJson } from '../../database/told-text.ts'
import { codeCacheMaker } from '../../isolates/code-cache.ts'
import { storeCodeCache } from './store-code-cache.ts'
import { type Actor, requireOwner } from '../../lifecycle/actor.ts'
import { writeDraftCatalog } from '../../lifecycle/notification-catalog.ts'
import { type AppRecord, type Db, findVersion, type VersionRecord } from '../../lifecycle/records.ts'
import { requireEditable } from '../../lifecycle/states.ts'
import type { BuiltCode } from './build-code.ts'
import type { BuiltVersion } from './build-version.ts'
import { createApp } from './create-app.ts'
import type { PublisherContext } from '../publisher-context.ts'
import type { SourceFiles } from '../source/source-files.ts'
import { storeSource } from '../source/stored-source.ts'

export type StoredDraft = { app: AppRecord; version: VersionRecord }

export type DraftRequest = {
  actor: Actor
  /** Null: the app's first version makes the app. */
  app: AppRecord | null
  built: BuiltVersion
  files: SourceFiles
  version: string
  sourceHash: string
}

/** Stores a draft with its source, bundle and catalog, or changes the draft of that name. Nothing of it is signed. */
export async function storeDraft(context: PublisherContext, request: DraftRequest): Promise<StoredDraft> {
  const { actor, built, files, version, sourceHash } = request
  try {
    return await inTransaction(context.system, async (db) => {
      const app = request.app ?? (await createApp(db, actor, built.manifest))
      requireOwner(actor, app)
      if (built.code) await storeBundle(db, built.code, codeCacheMaker(context.keys.codeCache))
      const id = await writeVersion(db, app, { built, version, sourceHash, now: context.clock() })
      await storeSource(db, id, files)
      await writeDraftCatalog(db, app, { id }, declaredCatalog(built))
      return { app, version: await findVersion(db, app, version) }
    })
  } catch (error) {
    // Two that make the same app or version at once: the second finds it made.
    if (error instanceof pg.DatabaseError && error.code === '23505') throw new ServiceError('invalid_state')
    throw error
  }
}

/** Undefined where its author says nothing of notifications: then the published catalog stays. */
const declaredCatalog = ({ declared, manifest }: BuiltVersion) =>
  declared.notifications === undefined ? undefined : manifest.notifications

/** One that is there is held until the version has it: no purge takes it meanwhile. */
async function storeBundle(db: Db, { hash, code, sourceMap, codeCache }: BuiltCode, maker: string): Promise<void> {
  await db.query(
    `insert into core.app_bundles (hash, code, source_map) values ($1, $2, $3)
      on conflict (hash) do update set hash = excluded.hash`,
    [hash, code, sourceMap],
  )
  await storeCodeCache(db, { hash, maker, cache: codeCache })
}

async function writeVersion(
  db: Db,
  app: AppRecord,
  { built, version, sourceHash, now }: Pick<DraftRequest, 'built' | 'version' | 'sourceHash'> & { now: Date },
): Promise<string> {
  const { rows } = await db.query<{ id: string; state: VersionRecord['state'] }>(
    'select id, state from core.app_versions where app_id = $1 and version = $2 for update',
    [app.id, version],
  )
  const known = rows[0]
  if (known) requireEditable(known.state)
  const values = [
    JSON.stringify(built.manifest),
    JSON.stringify(built.declared),
    built.code?.hash ?? null,
    built.code ? JSON.stringify(built.code.contributions) : null,
    toldJson(built.report),
    JSON.stringify({ sourceHash }),
    built.scan,
    now,
  ]
  const columns = 'manifest, declared, bundle_hash, contributions, report, scan, scan_verdict, edited_at'
  if (known) {
    await db.query(`update core.app_versions set (${columns}) = ($2, $3, $4, $5, $6, $7, $8, $9) where id = $1`, [
      known.id,
      ...values,
    ])
    return known.id
  }
  const id = ulid()
  await db.query(
    `insert into core.app_versions (id, app_id, version, state, ${columns}) values ($9, $10, $11, 'draft', $1, $2, $3, $4, $5, $6, $7, $8)`,
    [...values, id, app.id, version],
  )
  return id
}
