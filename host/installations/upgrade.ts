import type pg from 'pg'
import type { InstallationContext } from './install.ts'
import { publishedApp } from './published-version.ts'
import { type RequestedScope, requestedScopes } from './requested-scopes.ts'

export type UpgradeReport = { moved: string[]; waiting: string[] }

/**
 * Moves installations of an app to its newest version, as far as their school need not be asked: where every required
 * scope is granted already. The others keep their version and their grant until an administrator approves. A scope that
 * the new version no longer asks for is dropped from the grant.
 */
export async function upgradeInstallations(context: InstallationContext, slug: string): Promise<UpgradeReport> {
  const app = await publishedApp(context.system, { slug })
  const requested = app.scopes.map(({ key }) => key)
  const required = app.scopes.filter((scope) => scope.required).map(({ key }) => key)
  const { rows } = await context.system.query<{ id: string; moved: boolean }>(
    `with moved as (
        update core.installations set version_id = $2,
          granted_scopes = array(select s from unnest(granted_scopes) s where s = any ($3::text[]))
        where app_id = $1 and status <> 'uninstalled' and version_id is distinct from $2 and granted_scopes @> $4::text[]
        returning id
      )
      select id, true as moved from moved union all
      select id, false from core.installations
        where app_id = $1 and status <> 'uninstalled' and version_id is distinct from $2 and not granted_scopes @> $4::text[]`,
    [app.appId, app.versionId, requested, required],
  )
  if (rows.some(({ moved }) => moved)) await context.grantsChanged()
  return {
    moved: rows.filter(({ moved }) => moved).map(({ id }) => id),
    waiting: rows.filter(({ moved }) => !moved).map(({ id }) => id),
  }
}

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
