import type { AppRecord, Db, VersionRecord } from './records.ts'

type RequestedScope = { key: string; required: boolean }

/** Schools that granted all it requires get it at once, without what it no longer asks for; others keep theirs. Answers how many. */
export async function moveInstallations(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  version: Pick<VersionRecord, 'id' | 'manifest'>,
): Promise<number> {
  const { rowCount } = await db.query(
    `update core.installations set version_id = $2,
        granted_scopes = array(select s from unnest(granted_scopes) s where s = any ($4::text[]))
      where app_id = $1 and status <> 'uninstalled' and granted_scopes @> $3`,
    [app.id, version.id, requiredBy(version), requestedBy(version)],
  )
  return rowCount ?? 0
}

const asks = (version: string) =>
  `${version}.manifest @> jsonb_build_object('scopes', jsonb_build_array(jsonb_build_object('key', s)))`

/**
 * The way back, of a roll-back. It takes nothing, since the version may come back, and gives again what `from` took by not
 * asking for it: where the school's last consent for a version that asked for the scope included it, and every version
 * until `to` asked for it. Answers how many got `to`.
 */
export async function moveInstallationsBack(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  { from, to }: Record<'from' | 'to', Pick<VersionRecord, 'id' | 'manifest' | 'publishedAt'>>,
): Promise<number> {
  const unasked = requestedBy(to).filter((key) => !requestedBy(from).includes(key))
  const { rowCount } = await db.query(
    `with again as (
        select i.tenant_id, i.id, array(
          select s from unnest($5::text[]) s cross join lateral (
            select c.scopes, c.at from core.consents c join core.app_versions v on v.id = c.version_id
            where c.tenant_id = i.tenant_id and c.installation_id = i.id and ${asks('v')}
            order by c.at desc, c.id desc limit 1) consent
          where i.version_id = $4 and s <> all (i.granted_scopes) and s = any (consent.scopes) and not exists (
            select from core.app_versions v where v.app_id = $1 and v.state = 'published'
              and v.published_at > consent.at and v.published_at <= $6 and not ${asks('v')})) as scopes
        from core.installations i where i.app_id = $1 and i.status <> 'uninstalled'
      )
      update core.installations i set version_id = $2, granted_scopes = i.granted_scopes || again.scopes
      from again where i.tenant_id = again.tenant_id and i.id = again.id and i.status <> 'uninstalled'
        and (i.granted_scopes || again.scopes) @> $3`,
    [app.id, to.id, requiredBy(to), from.id, unasked, to.publishedAt],
  )
  return rowCount ?? 0
}

const scopesOf = ({ manifest }: Pick<VersionRecord, 'manifest'>) =>
  (manifest as { scopes?: RequestedScope[] }).scopes ?? []
const requestedBy = (version: Pick<VersionRecord, 'manifest'>) => scopesOf(version).map(({ key }) => key)
const requiredBy = (version: Pick<VersionRecord, 'manifest'>) =>
  scopesOf(version)
    .filter(({ required }) => required)
    .map(({ key }) => key)
