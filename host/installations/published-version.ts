import type pg from 'pg'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { type RequestedScope, requestedScopes } from './requested-scopes.ts'

/** An app and its newest published version, as a school would install it. */
export type PublishedApp = {
  appId: string
  slug: string
  clientId: string | null
  displayName: string
  manifest: unknown
  integrationType: string
  redirectUrls: string[]
  versionId: string
  version: string
  scopes: RequestedScope[]
}

type Row = {
  id: string
  slug: string
  client_id: string | null
  display_name: string
  integration_type: string
  redirect_urls: string[]
  version_id: string
  version: string
  manifest: unknown
}

/** Finds by slug or by client id. Throws NotFoundException for an app without a published version, or a disabled one. */
export async function publishedApp(
  pool: pg.Pool | pg.ClientBase,
  by: { slug: string } | { clientId: string },
): Promise<PublishedApp> {
  const { rows } = await pool.query<Row>(
    `select a.id, a.slug, a.client_id, a.display_name, a.integration_type, a.redirect_urls, v.id as version_id, v.version, v.manifest
      from core.apps a join core.app_versions v on v.app_id = a.id and v.state = 'published'
      where a.disabled_reason is null and (a.slug = $1 or a.client_id = $2) order by v.published_at desc limit 1`,
    'slug' in by ? [by.slug, null] : [null, by.clientId],
  )
  const row = rows[0]
  if (!row) throw new NotFoundException()
  return {
    appId: row.id,
    slug: row.slug,
    clientId: row.client_id,
    displayName: row.display_name,
    manifest: row.manifest,
    integrationType: row.integration_type,
    redirectUrls: row.redirect_urls,
    versionId: row.version_id,
    version: row.version,
    scopes: requestedScopes(row.manifest),
  }
}

/** The same, and until the transaction ends no other version takes its place. */
export async function holdPublishedApp(client: pg.ClientBase, slug: string): Promise<PublishedApp> {
  await client.query('select from core.apps where slug = $1 for key share', [slug])
  return publishedApp(client, { slug })
}
