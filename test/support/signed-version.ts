import type pg from 'pg'
import { ulid } from 'ulid'
import { hashCode, signVersion } from '../../host/security/bundle-signature.ts'
import { publisherKeys } from '../../host/security/keys.ts'
import { testHostKey } from './cluster.ts'

export type SignedVersion = { id: string; appId: string; slug: string; hash: string }

/** A published version of an embedded app of its own, signed as what it is. */
export async function signedVersion(
  admin: pg.Pool,
  { code, review = 'approved' }: { code?: string; review?: 'approved' | 'sandbox' } = {},
): Promise<SignedVersion> {
  const [appId, id] = [ulid(), ulid()]
  const slug = `app_${id.toLowerCase()}`
  const stored = code ?? `/* ${slug} */`
  const [manifest, contributions] = [{ moduleId: slug, scopes: [], weight: 1.5 }, { routes: ['GET /'] }]
  const hash = hashCode(stored)
  const attestation = { slug, version: '1.0.0', bundleHash: hash, manifest, contributions, scan: 'clean' } as const
  await admin.query(
    `insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, 'embedded', 'App')`,
    [appId, slug],
  )
  await admin.query('insert into core.app_bundles (hash, code) values ($1, $2)', [hash, stored])
  await admin.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, contributions, bundle_hash, scan_verdict, review_verdict, signature)
      values ($1, $2, '1.0.0', 'published', $3, $4, $5, 'clean', $6, $7)`,
    [
      id,
      appId,
      JSON.stringify(manifest),
      JSON.stringify(contributions),
      hash,
      review,
      signVersion({ ...attestation, review }, publisherKeys(testHostKey).signing),
    ],
  )
  return { id, appId, slug, hash }
}
