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
  const appId = ulid()
  const slug = `app_${appId.toLowerCase()}`
  await admin.query(
    `insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, 'embedded', 'App')`,
    [appId, slug],
  )
  return storeSigned(admin, testHostKey, {
    app: { id: appId, slug },
    version: '1.0.0',
    code: code ?? `/* ${slug} */`,
    manifest: { moduleId: slug, scopes: [], weight: 1.5 },
    contributions: { routes: ['GET /'] },
    review,
  })
}

/** Stores a published version of an app, signed with this host's key. */
export async function storeSigned(
  db: Pick<pg.ClientBase, 'query'>,
  hostKey: Buffer,
  published: {
    app: { id: string; slug: string }
    version: string
    code: string
    manifest: unknown
    contributions: unknown
    review?: 'approved' | 'sandbox'
  },
): Promise<SignedVersion> {
  const { app, code, version, manifest, contributions, review = 'approved' } = published
  const [id, hash] = [ulid(), hashCode(code)]
  const attestation = {
    slug: app.slug,
    version,
    bundleHash: hash,
    manifest,
    contributions,
    scan: 'clean',
    review,
  } as const
  await db.query('insert into core.app_bundles (hash, code) values ($1, $2) on conflict do nothing', [hash, code])
  await db.query(
    `insert into core.app_versions (id, app_id, version, state, manifest, contributions, bundle_hash, scan_verdict, review_verdict, signature)
      values ($1, $2, $3, 'published', $4, $5, $6, 'clean', $7, $8)`,
    [
      id,
      app.id,
      version,
      JSON.stringify(manifest),
      JSON.stringify(contributions),
      hash,
      review,
      signVersion(attestation, publisherKeys(hostKey).signing),
    ],
  )
  return { id, appId: app.id, slug: app.slug, hash }
}
