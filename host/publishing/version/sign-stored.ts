import type { AppRecord, Db, VersionRecord } from '../../lifecycle/records.ts'
import { type Attestation, signVersion } from '../../security/bundle-signature.ts'
import type { PublisherContext } from '../publisher-context.ts'

/** Signs what the database holds at this moment; the web processes verify the same before a runner gets it. */
export async function signStored(
  { keys }: PublisherContext,
  db: Db,
  app: AppRecord,
  version: VersionRecord,
  { scan, review }: Pick<Attestation, 'scan' | 'review'>,
): Promise<void> {
  if (version.bundleHash === null) return
  const { bundleHash, manifest, contributions } = version
  const attestation = { slug: app.slug, version: version.version, bundleHash, manifest, contributions }
  const signature = signVersion({ ...attestation, scan, review }, keys.signing)
  await db.query('update core.app_versions set signature = $2, scan_verdict = $3, review_verdict = $4 where id = $1', [
    version.id,
    signature,
    scan,
    review,
  ])
}
