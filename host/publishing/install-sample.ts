import { installApp } from '../installations/install.ts'
import { createCipher } from '../security/cipher.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import { sandboxTenantId } from '../seeds/seed.ts'
import type { PublisherContext } from './publisher-context.ts'

/** Installs an app in the sandbox school with all that it requests. What a school has done since stays as it is. */
export async function installSample({ system, keys, clock }: PublisherContext, slug: string): Promise<void> {
  const { rowCount } = await system.query(
    `select from core.installations i join core.apps a on a.id = i.app_id where i.tenant_id = $1 and a.slug = $2`,
    [sandboxTenantId, slug],
  )
  if (rowCount) return
  const context = { system, cipher: createCipher(keys.data), clock, grantsChanged: () => untilConfirmed(system) }
  await installApp(context, slug, { tenantId: sandboxTenantId, accountId: null })
}
