import { createHmac } from 'node:crypto'
import type { RoleSecrets } from '../../module-database/provision.ts'
import { runtimeSecrets } from '../../security/module-secrets.ts'
import type { ImportTarget } from './migration-types.ts'
import type { PublisherContext } from '../publisher-context.ts'

/** Whose schemas, on which server, with which secrets. */
export const importTarget = (context: TargetContext, slug: string): ImportTarget => ({
  ...moduleSecrets(context),
  slug,
  suffix: context.suffix,
  superuser: context.credential,
})

export type TargetContext = Pick<PublisherContext, 'suffix' | 'credential'> & {
  keys: Pick<PublisherContext['keys'], 'runtime' | 'owner'>
}

/** Runtime roles' secrets are those the web processes derive; owners' come from a key that only the publisher has. */
function moduleSecrets({ keys }: TargetContext): RoleSecrets {
  const runtime = runtimeSecrets(keys.runtime)
  const owner = (purpose: string, role: string) =>
    createHmac('sha256', keys.owner).update(`${purpose}:${role}`).digest('base64url')
  const isRuntime = (role: string) => /_rt(_[0-9a-f]{8})?$/.test(role)
  return {
    passwordOf: (role) => (isRuntime(role) ? runtime.passwordOf(role) : owner('module role', role)),
    gateSecretOf: (role) => (isRuntime(role) ? runtime.gateSecretOf(role) : owner('tenant gate', role)),
  }
}
