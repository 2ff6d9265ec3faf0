import type { PublisherContext } from '../publisher-context.ts'
import { installInOwnSandbox } from '../samples/sandbox-installs.ts'

/**
 * Gives published embedded apps the sandbox tenant of their own that they are without: their publisher ended before it came
 * to that. One by one, once the shared school is there; what fails is tried again at the next start. An app that was erased
 * in its own sandbox stays away.
 */
export function makeUpOwnSandboxes(
  context: PublisherContext,
  school: Promise<void>,
): { done: Promise<void>; stop(): Promise<void> } {
  const { logger } = context
  let stopped = false

  async function makeUp(): Promise<void> {
    await school
    for (const slug of await appsWithout(context)) {
      if (stopped) return
      await installInOwnSandbox(context, slug).then(
        () => logger.info({ slug }, 'an app got the sandbox of its own that it was owed'),
        failed,
      )
    }
  }
  const failed = (error: unknown) =>
    logger.warn({ err: error }, 'an app is not given a sandbox of its own before the next start')
  const done = makeUp().catch(failed)
  return {
    done,
    stop() {
      stopped = true
      return done
    },
  }
}

async function appsWithout({ system }: PublisherContext): Promise<string[]> {
  const { rows } = await system.query<{ slug: string }>(
    `select a.slug from core.apps a
      where a.integration_type = 'embedded' and a.disabled_reason is null
        and exists (select from core.app_versions v where v.app_id = a.id and v.state = 'published')
        and not exists (select from core.tenants t where t.sandbox_of = a.slug and (
          exists (select from core.installations i where i.tenant_id = t.id and i.app_id = a.id)
          or exists (select from core.erasure_certificates e where e.tenant_id = t.id and e.app = a.slug)))
      order by a.slug`,
  )
  return rows.map(({ slug }) => slug)
}
