import type { AppRecord, Db, VersionRecord } from '../../lifecycle/records.ts'
import { stepsFrom } from '../../lifecycle/states.ts'
import { higherPublished } from '../../lifecycle/version-order.ts'
import type { PublisherContext } from '../publisher-context.ts'
import type { Manifest } from '../source/read-manifest.ts'
import { fileFinding, refused } from '../refused.ts'

/** The manifest's version. A draft of that name is edited; any other is immutable, and its name used once. */
export async function draftName(
  { system }: PublisherContext,
  app: AppRecord | null,
  { version }: Manifest,
  { renameTaken, sourceHash }: { renameTaken?: boolean; sourceHash: string },
): Promise<string> {
  if (!app) return version
  const { rows } = await system.query<{ state: VersionRecord['state'] }>(
    'select state from core.app_versions where app_id = $1 and version = $2',
    [app.id, version],
  )
  const state = rows[0]?.state
  if (state === undefined || state === 'draft') {
    const higher = await higherPublished(system, app, version)
    if (higher === null) return version
    const message = `version ${version} is not higher than ${higher}, which is published: raise it`
    throw refused(message, [fileFinding('invalid_state', 'manifest.json', message)])
  }
  if (renameTaken) return freeName(system, app, `${version}+${sourceHash.slice(0, 8)}`)
  const rule = state === 'published' ? 'cannot_edit_published' : 'invalid_state'
  const steps = stepsFrom(state).map(({ step }) => `partner version ${step}`)
  const message =
    state === 'published'
      ? `version ${version} is published: raise it`
      : `version ${version} is ${state.replace('_', ' ')} and locked: raise it, or go on with ${steps.join(' or ')}`
  throw refused(message, [fileFinding(rule, 'manifest.json', message)])
}

/** The name, or with the next number behind it: the same source may come back after another one had its place. */
async function freeName(system: Db, app: AppRecord, name: string): Promise<string> {
  const { rows } = await system.query<{ taken: number }>(
    `select count(*)::int as taken from core.app_versions
      where app_id = $1 and state <> 'draft' and (version = $2 or starts_with(version, $2 || '.'))`,
    [app.id, name],
  )
  const { taken } = rows[0]!
  return taken === 0 ? name : `${name}.${taken + 1}`
}
