import type { Actor } from '../../lifecycle/actor.ts'
import { type AppRecord, findApp } from '../../lifecycle/records.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { fileFinding, refused } from '../refused.ts'

/** Null where the slug is free; an app of somebody else's is refused by name, since slugs are public. */
export async function existingApp(
  { system }: PublisherContext,
  actor: Actor,
  { moduleId }: Record<string, unknown>,
): Promise<AppRecord | null> {
  if (typeof moduleId !== 'string') return null
  const { rowCount } = await system.query('select from core.apps where slug = $1', [moduleId])
  if (rowCount === 0) return null
  return findApp(system, actor, moduleId).catch(() => {
    throw refused(`the name ${moduleId} is taken`, [fileFinding('slug-reserved', 'manifest.json', 'moduleId is taken')])
  })
}
