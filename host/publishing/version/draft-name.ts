import type { AppRecord, VersionRecord } from '../../lifecycle/records.ts'
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
  if (renameTaken) return `${version}+${sourceHash.slice(0, 8)}`
  const rule = state === 'published' ? 'cannot_edit_published' : 'invalid_state'
  const steps = stepsFrom(state).map(({ step }) => `partner version ${step}`)
  const message =
    state === 'published'
      ? `version ${version} is published: raise it`
      : `version ${version} is ${state.replace('_', ' ')} and locked: raise it, or go on with ${steps.join(' or ')}`
  throw refused(message, [fileFinding(rule, 'manifest.json', message)])
}
