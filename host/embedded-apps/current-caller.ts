import type { Caller } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { InstalledModule, InstalledModules } from './installed-modules.ts'

/**
 * The caller of a call that is under way, by the host's records of now: a scope that was taken away meanwhile is gone, one
 * that was added is for calls to come. Throws `unavailable` where the installation was removed or stopped.
 */
export async function currentCaller(
  modules: Pick<InstalledModules, 'find'>,
  begun: InstalledModule,
  caller: Caller,
): Promise<Caller> {
  const now = await modules.find(begun.tenant.id, begun.slug)
  if (now === begun) return caller
  if (now?.installationId !== begun.installationId || now.disabledReason !== null) throw new ServiceError('unavailable')
  return { ...caller, scopes: new Set([...caller.scopes].filter((scope) => now.scopes.has(scope))) }
}
