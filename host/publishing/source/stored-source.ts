import { gunzipSync, gzipSync } from 'node:zlib'
import { ServiceError } from '../../../partner-services/service/errors.ts'
import type { Db, VersionRecord } from '../../lifecycle/records.ts'
import type { SourceFiles } from './source-files.ts'

/** Keeps a version's source for its review and its publishing, in place of the one before. */
export async function storeSource(db: Db, versionId: string, files: SourceFiles): Promise<void> {
  await db.query(
    `insert into core.version_sources (version_id, files) values ($1, $2)
      on conflict (version_id) do update set files = excluded.files`,
    [versionId, gzipSync(JSON.stringify(files), { level: 1 })],
  )
}

/** The source as it was uploaded. */
export async function readStoredSource(db: Db, version: Pick<VersionRecord, 'id'>): Promise<SourceFiles> {
  const { rows } = await db.query<{ files: Buffer }>('select files from core.version_sources where version_id = $1', [
    version.id,
  ])
  if (!rows[0]) throw new ServiceError('not_found')
  return JSON.parse(gunzipSync(rows[0].files).toString('utf8')) as SourceFiles
}
