import type { AppRecord, Db, VersionRecord } from './records.ts'

type RequestedScope = { key: string; required: boolean }

/**
 * Schools that granted all it requires get it at once; others keep theirs until they approve. `narrow`: a scope that it
 * no longer asks for leaves the grant, which a roll-back does not do, since the version may come back. Answers how many.
 */
export async function moveInstallations(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  version: Pick<VersionRecord, 'id' | 'manifest'>,
  { narrow }: { narrow: boolean },
): Promise<number> {
  const { scopes = [] } = version.manifest as { scopes?: RequestedScope[] }
  const required = scopes.filter((scope) => scope.required).map(({ key }) => key)
  const requested = scopes.map(({ key }) => key)
  const { rowCount } = await db.query(
    `update core.installations set version_id = $2,
        granted_scopes = array(select s from unnest(granted_scopes) s where not $4 or s = any ($5::text[]))
      where app_id = $1 and status <> 'uninstalled' and granted_scopes @> $3`,
    [app.id, version.id, required, narrow, requested],
  )
  return rowCount ?? 0
}
