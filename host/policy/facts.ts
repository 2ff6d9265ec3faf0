import { eventDefinitions } from '../../partner-services/description/events.ts'
import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import type { OperationFacts, ScopeFacts } from '../../policy/catalog.ts'

/** What the policy is told of the platform: plain data, so that it can travel to another thread or process. */
export function policyFacts(): { catalog: ScopeFacts[]; operations: OperationFacts[]; events: string[] } {
  return {
    catalog: scopeCatalog.map(({ key, action, dangerous, publicSurface, publicWritable, active }) => ({
      key,
      action,
      dangerous,
      publicSurface,
      publicWritable,
      active,
    })),
    operations: operations.map(({ name, scope }) => ({ name, scope })),
    events: eventDefinitions().map(({ name }) => name),
  }
}
