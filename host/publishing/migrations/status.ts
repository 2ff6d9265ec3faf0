import type pg from 'pg'
import { moduleRoleNames, type TenantSchemaKind } from '../../module-database/role-names.ts'
import { type HistoryEntry, readHistory } from './history.ts'

/** What is applied, oldest first, in each of the module's two schemas. */
export async function migrationStatus(
  superuser: pg.ClientBase,
  module: { slug: string; suffix: string },
): Promise<{ sandbox: HistoryEntry[]; live: HistoryEntry[] }> {
  const of = (kind: TenantSchemaKind) =>
    readHistory(superuser, moduleRoleNames(module.slug, { ...module, kind }).schema)
  return { sandbox: await of('sandbox'), live: await of('live') }
}
