import { ulid } from 'ulid'
import { ReportedError } from '../processes/rpc.ts'
import type { Attestation } from '../security/bundle-signature.ts'
import type { Manifest, Publication } from './publish.ts'
import type { PublisherContext } from './publisher-context.ts'

export type NewVersion = {
  id: string
  manifest: Manifest
  version: string
  state: 'draft' | 'published'
  contributions: Record<string, unknown>
  sourceHash: string
  attestation: Attestation
  signature: Buffer | null
  bundle: { code: string; sourceMap: string; codeCache: Uint8Array }
}

/** A version is immutable: its name can be used once. */
export async function freeVersion(
  { system }: PublisherContext,
  manifest: Manifest,
  { renameTaken, sourceHash }: Publication,
): Promise<string> {
  const { rows } = await system.query<{ integration_type: string; taken: boolean }>(
    `select a.integration_type, exists (select from core.app_versions v where v.app_id = a.id and v.version = $2) as taken
      from core.apps a where a.slug = $1`,
    [manifest.moduleId, manifest.version],
  )
  const app = rows[0]
  if (!app) return manifest.version
  if (app.integration_type !== manifest.integrationType)
    refuse(`integrationType of ${manifest.moduleId} is ${app.integration_type} and cannot change`)
  if (!app.taken) return manifest.version
  if (!renameTaken) refuse(`version ${manifest.version} exists already: raise it`)
  return `${manifest.version}+${sourceHash?.slice(0, 8) ?? ulid().toLowerCase()}`
}

function refuse(message: string): never {
  throw new ReportedError(message, {
    findings: [{ rule: 'cannot_edit_published', file: 'manifest.json', line: 1, message }],
  })
}

/** Registers app, bundle and version together. A published version becomes that of every school whose grant suffices. */
export async function registerVersion({ system, clock }: PublisherContext, added: NewVersion): Promise<void> {
  const client = await system.connect()
  const { manifest, bundle, attestation } = added
  try {
    await client.query('begin')
    const { rows } = await client.query<{ id: string }>(
      `insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, $3, $4)
        on conflict (slug) do update set display_name = excluded.display_name returning id`,
      [ulid(), manifest.moduleId, manifest.integrationType, manifest.displayName],
    )
    const appId = rows[0]!.id
    await client.query(
      `insert into core.app_bundles (hash, code, source_map, code_cache, signature, scan_verdict, review_verdict) values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (hash) do update set code_cache = excluded.code_cache, signature = coalesce(core.app_bundles.signature, excluded.signature)`,
      [
        attestation.hash,
        bundle.code,
        bundle.sourceMap,
        bundle.codeCache,
        added.signature,
        attestation.scan,
        attestation.review,
      ],
    )
    await client.query(
      `insert into core.app_versions (id, app_id, version, state, manifest, bundle_hash, contributions, scan, published_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        added.id,
        appId,
        added.version,
        added.state,
        JSON.stringify(manifest),
        attestation.hash,
        JSON.stringify(added.contributions),
        JSON.stringify({ sourceHash: added.sourceHash }),
        added.state === 'published' ? clock() : null,
      ],
    )
    if (added.state === 'published') {
      const required = manifest.scopes.filter((scope) => scope.required).map(({ key }) => key)
      await client.query(
        `update core.installations set version_id = $2 where app_id = $1 and status <> 'uninstalled' and granted_scopes @> $3`,
        [appId, added.id, required],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
