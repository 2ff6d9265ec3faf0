import type pg from 'pg'
import { type MigrationHead, MigrationImportError } from './migration-types.ts'
import type { SchemaKind } from '../../module-database/role-names.ts'

export type HistoryEntry = { version: string; name: string; checksum: string; release: string; applied_at: Date }

export async function readHistory(superuser: Pick<pg.ClientBase, 'query'>, schema: string): Promise<HistoryEntry[]> {
  const { rows } = await superuser.query<HistoryEntry>(
    'select version, name, checksum, release, applied_at from module_host.history where schema = $1 order by version',
    [schema],
  )
  return rows
}

/**
 * The files still to be applied, in order. An applied migration is frozen: a file of its version must be the same file.
 * A new file older than the newest applied one stops the run; its author adds a later one instead.
 */
export function pendingMigrations<File extends MigrationHead>(
  files: readonly File[],
  history: readonly HistoryEntry[],
  kind: SchemaKind,
): File[] {
  const applied = new Map(history.map((entry) => [entry.version, entry]))
  const newest = history.at(-1)?.version ?? ''
  const pending: File[] = []
  for (const file of files.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
    const before = applied.get(file.version)
    if (before && before.checksum !== file.checksum) {
      throw new MigrationImportError(
        'changed',
        `${file.file} was changed after it was applied: add a later migration instead`,
        { file: file.file, kind },
      )
    }
    if (!before && file.version < newest) {
      throw new MigrationImportError(
        'out_of_order',
        `${file.file} is older than ${newest}, which is applied: give it a later time`,
        { file: file.file, kind },
      )
    }
    if (!before) pending.push(file)
  }
  return pending
}
