import { untilClaimsAreOld } from '../../events/claim.ts'
import { installApp, rowsFollowText } from '../../installations/install.ts'
import { createCipher } from '../../security/cipher.ts'
import { untilConfirmed } from '../../security/token-epoch.ts'
import { seedAppSandbox } from '../../seeds/app-sandbox.ts'
import { sandboxTenantId } from '../../seeds/seed.ts'
import { moduleRowMethods } from '../upkeep/module-rows.ts'
import type { PublisherContext } from '../publisher-context.ts'

/** Installs an app in the sandbox school that all share, with all that it requests. */
export const installInSharedSandbox = (context: PublisherContext, slug: string): Promise<void> =>
  installOnce(context, slug, sandboxTenantId)

/** Gives an embedded app a seeded sandbox tenant of its own, and installs it there. Source: specification, sandbox. */
export async function installInOwnSandbox(context: PublisherContext, slug: string): Promise<void> {
  const { rowCount } = await context.system.query(
    `select from core.apps where slug = $1 and integration_type = 'embedded'`,
    [slug],
  )
  if (!rowCount) return
  const tenantId = await seedAppSandbox(context.core, context.keys.forms, slug)
  await installOnce(context, slug, tenantId)
}

/** What was done with the app at the tenant since stays as it is. */
async function installOnce(context: PublisherContext, slug: string, tenantId: string): Promise<void> {
  const { system, keys, clock, logger } = context
  const { rowCount } = await system.query(
    `select from core.installations i join core.apps a on a.id = i.app_id where i.tenant_id = $1 and a.slug = $2`,
    [tenantId, slug],
  )
  if (rowCount) return
  const { applyTenantData } = moduleRowMethods(context)
  const grantsChanged = () => untilConfirmed(system)
  const rowsFollow = (reason: unknown) => logger.warn({ err: reason, slug }, rowsFollowText)
  const cipher = createCipher(keys.data)
  const deliveriesStopped = untilClaimsAreOld
  const installations = { system, cipher, clock, grantsChanged, deliveriesStopped, applyTenantData, rowsFollow }
  await installApp(installations, slug, { tenantId, accountId: null })
}
