import { eventDefinitions } from '../../partner-services/description/events.ts'
import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import type { OperationFacts, ScopeFacts } from '../../policy/catalog.ts'

/** What the policy is told of the platform: plain data, so that it can travel to another thread or process. */
export type PolicyFacts = { catalog: ScopeFacts[]; operations: OperationFacts[]; events: string[] }

/** The facts as the service layer says them. Loads all of it: whoever only scans reads the generated ones. */
export function collectFacts(): PolicyFacts {
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
