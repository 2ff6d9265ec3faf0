/** Changes of so many tenants are told apart; then they concern everybody. */
const mostTenants = 10_000

/** When the records of each tenant last changed, in a count of this process's own. */
export type TenantChanges = {
  /** Changes until now. */
  count(): number
  /** The count with the last change that concerned this tenant. */
  of(tenantId: string): number
  /** Null: everybody's. */
  add(tenantIds: readonly string[] | null): void
}

export function createTenantChanges(): TenantChanges {
  const last = new Map<string, number>()
  let count = 0
  let everybody = 0
  return {
    count: () => count,
    of: (tenantId) => last.get(tenantId) ?? everybody,
    add(tenantIds) {
      count++
      if (tenantIds !== null) for (const id of tenantIds) last.set(id, count)
      if (tenantIds !== null && last.size <= mostTenants) return
      last.clear()
      everybody = count
    },
  }
}
