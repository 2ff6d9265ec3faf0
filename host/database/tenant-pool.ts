import type pg from 'pg'

/**
 * A pool of which one tenant has at most half at one time: what holds up one school's requests, a row that somebody has
 * locked say, leaves the other schools theirs.
 */
export type TenantPool = {
  /** Rejects as the pool does where there is none in time. */
  connect(tenantId: string): Promise<pg.PoolClient>
  /** Once for each connection. One that is `broken` is closed. */
  release(tenantId: string, client: pg.PoolClient, broken: boolean): void
}

type Share = { held: number; waiting: (() => void)[] }

export function createTenantPool(pool: pg.Pool): TenantPool {
  const { max, connectionTimeoutMillis } = pool.options
  const most = Math.max(1, Math.floor(max / 2))
  const shares = new Map<string, Share>()

  /** Resolves when a place of this tenant's is free: the one who leaves it hands it on. */
  function place(share: Share): Promise<void> {
    return new Promise((begin, fail) => {
      const giveUp = () => {
        share.waiting.splice(share.waiting.indexOf(start), 1)
        fail(new Error('timeout exceeded when trying to connect: one tenant has half of the pool'))
      }
      const timer = connectionTimeoutMillis ? setTimeout(giveUp, connectionTimeoutMillis) : undefined
      const start = () => {
        clearTimeout(timer)
        begin()
      }
      share.waiting.push(start)
    })
  }

  function leave(tenantId: string): void {
    const share = shares.get(tenantId)!
    const next = share.waiting.shift()
    if (next) next()
    else if (--share.held === 0) shares.delete(tenantId)
  }

  return {
    async connect(tenantId) {
      const share = shares.get(tenantId) ?? { held: 0, waiting: [] }
      if (share.held === 0) shares.set(tenantId, share)
      if (share.held < most) share.held++
      else await place(share)
      try {
        return await pool.connect()
      } catch (error) {
        leave(tenantId)
        throw error
      }
    },
    release(tenantId, client, broken) {
      client.release(broken)
      leave(tenantId)
    },
  }
}
