import type { AppRecord, Db, VersionRecord } from './records.ts'

type RequestedScope = { key: string; required: boolean }

/** Schools that granted all it requires get it at once; others keep theirs until they approve. Answers how many moved. */
export async function moveInstallations(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  version: Pick<VersionRecord, 'id' | 'manifest'>,
): Promise<number> {
  const { scopes = [] } = version.manifest as { scopes?: RequestedScope[] }
  const required = scopes.filter((scope) => scope.required).map(({ key }) => key)
  const { rowCount } = await db.query(
    `update core.installations set version_id = $2 where app_id = $1 and status <> 'uninstalled' and granted_scopes @> $3`,
    [app.id, version.id, required],
  )
  return rowCount ?? 0
}
