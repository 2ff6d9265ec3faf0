import type { PublisherContext } from '../publisher-context.ts'

/** The code of each version of an app that a school has, and of the one that the next school gets. */
export async function runningCode({ system }: Pick<PublisherContext, 'system'>, slug: string): Promise<string[]> {
  const { rows } = await system.query<{ code: string }>(
    `select b.code from core.apps a join core.app_versions v on v.app_id = a.id join core.app_bundles b on b.hash = v.bundle_hash
      where a.slug = $1 and (
        exists (select from core.installations i where i.app_id = a.id and i.version_id = v.id and i.status <> 'uninstalled')
        or v.id = (select id from core.app_versions where app_id = a.id and state = 'published'
          order by published_at desc limit 1))`,
    [slug],
  )
  return rows.map(({ code }) => code)
}
