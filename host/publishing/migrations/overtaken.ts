import type pg from 'pg'
import { moduleRoleNames } from '../../module-database/role-names.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { goneColumnsIn } from './gone-columns.ts'
import { readHistory } from './history.ts'
import { type MigrationHead, MigrationImportError } from './migration-types.ts'

/**
 * A version that was made beside a release, and approved before it or rolled back, lacks that one's files, and may use what
 * they dropped: refused as a roll-back to it is. A release that brings the dropping file itself is none of these. Where a
 * release only added something, one without its files works and may be published. To be asked once columns are noted.
 */
export async function requireItsColumns(
  { provisioning, system, suffix }: Pick<PublisherContext, 'provisioning' | 'system' | 'suffix'>,
  { slug, release }: { slug: string; release: string },
  files: readonly MigrationHead[],
): Promise<void> {
  const history = await readHistory(provisioning, moduleRoleNames(slug, { suffix }).schema)
  const brought = new Set(files.map(({ version }) => version))
  const lacking = history
    .filter(({ version }) => !brought.has(version))
    .map(({ version, name }) => `${version}_${name}`)
  if (lacking.length === 0) return
  const gone = await goneColumnsOf(system, { slug, release }, [...brought])
  if (gone.length === 0) return
  const message = `${release} uses what another release dropped (${gone.join(', ')}), and lacks what is applied (${lacking.join(', ')}): publish a new version instead`
  throw new MigrationImportError('changed', message, { file: lacking[0]!, kind: 'live' })
}

async function goneColumnsOf(
  system: pg.Pool,
  { slug, release }: { slug: string; release: string },
  brought: readonly string[],
): Promise<string[]> {
  const { rows } = await system.query<{ appId: string; code: string }>(
    `select a.id as "appId", b.code from core.apps a join core.app_versions v on v.app_id = a.id
      join core.app_bundles b on b.hash = v.bundle_hash where a.slug = $1 and v.version = $2`,
    [slug, release],
  )
  return rows[0] ? goneColumnsIn(system, rows[0].appId, rows[0].code, brought) : []
}
