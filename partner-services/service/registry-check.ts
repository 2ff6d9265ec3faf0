import { scopeCatalog } from '../scopes/catalog.ts'
import type { Operation } from './operation.ts'

/** Refuses to start with an operation whose scope is no scope of the catalog, or with two of one name or route. */
export function checkRegistry(operations: readonly Operation[]): void {
  const scopes = new Set(scopeCatalog.map(({ key }) => key))
  const seen = new Set<string>()
  for (const { name, scope, http } of operations) {
    if (scope !== null && !scopes.has(scope))
      throw new Error(`operation ${name} names the scope ${scope}, which is not in the catalog`)
    for (const claim of [name, `${http.method} ${http.path}`]) {
      if (seen.has(claim)) throw new Error(`two operations claim ${claim}`)
      seen.add(claim)
    }
  }
}
