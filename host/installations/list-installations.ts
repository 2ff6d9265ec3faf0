import type pg from 'pg'
import { type RequestedScope, requestedScopes } from './requested-scopes.ts'

export type InstallationView = {
  id: string
  app: string
  display_name: string
  status: string
  version: string | null
  granted_scopes: string[]
  installed_at: Date
  /** A newer version that waits for approval, and the scopes that it asks for beyond the grant. */
  pending: { version: string; scopes: RequestedScope[] } | null
}

type Row = Omit<InstallationView, 'pending'> & {
  version_id: string | null
  newest_id: string | null
  newest: string
  manifest: unknown
}

/** The apps of a school, with what waits for approval. */
export async function listInstallations(pool: pg.Pool, tenantId: string): Promise<InstallationView[]> {
  const { rows } = await pool.query<Row>(
    `select i.id, a.slug as app, a.display_name, i.status, v.version, i.granted_scopes, i.installed_at, i.version_id,
        n.id as newest_id, n.version as newest, n.manifest
      from core.installations i join core.apps a on a.id = i.app_id left join core.app_versions v on v.id = i.version_id
      left join lateral (select id, version, manifest from core.app_versions n
        where n.app_id = a.id and n.state = 'published' order by n.published_at desc limit 1) n on true
      where i.tenant_id = $1 and i.status <> 'uninstalled' order by i.id`,
    [tenantId],
  )
  return rows.map(({ version_id, newest_id, newest, manifest, ...view }) => {
    if (newest_id === null || newest_id === version_id) return { ...view, pending: null }
    const scopes = requestedScopes(manifest).filter(({ key }) => !view.granted_scopes.includes(key))
    return { ...view, pending: { version: newest, scopes } }
  })
}
