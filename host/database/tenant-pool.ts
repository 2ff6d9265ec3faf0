import type pg from 'pg'
import type { AnsweringClient } from './answering-client.ts'

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

/** `begin`: with the connection that another of its requests has done with, or with null: then the pool has one. */
type Share = { held: number; waiting: ((client: pg.PoolClient | null) => void)[] }

export function createTenantPool(pool: pg.Pool): TenantPool {
  const { max, connectionTimeoutMillis } = pool.options
  const most = Math.max(1, Math.floor(max / 2))
  const shares = new Map<string, Share>()

  /** Resolves when a place of this tenant's is free: the one who leaves it hands it on. */
  function place(share: Share): Promise<pg.PoolClient | null> {
    return new Promise((begin, fail) => {
      const giveUp = () => {
        share.waiting.splice(share.waiting.indexOf(start), 1)
        fail(new Error('timeout exceeded when trying to connect: one tenant has half of the pool'))
      }
      const timer = connectionTimeoutMillis ? setTimeout(giveUp, connectionTimeoutMillis) : undefined
      const start = (client: pg.PoolClient | null) => {
        clearTimeout(timer)
        begin(client)
      }
      share.waiting.push(start)
    })
  }

  function leave(tenantId: string): void {
    const share = shares.get(tenantId)!
    const next = share.waiting.shift()
    if (next) next(null)
    else if (--share.held === 0) shares.delete(tenantId)
  }

  return {
    async connect(tenantId) {
      const share = shares.get(tenantId) ?? { held: 0, waiting: [] }
      if (share.held === 0) shares.set(tenantId, share)
      if (share.held < most) share.held++
      else {
        const handed = await place(share)
        if (handed) return handed
      }
      try {
        return await pool.connect()
      } catch (error) {
        leave(tenantId)
        throw error
      }
    },
    release(tenantId, client, broken) {
      const { waiting } = shares.get(tenantId)!
      // By the pool it would stand still for a moment. Where another tenant waits there, it is that one's turn.
      const handed = client as unknown as AnsweringClient
      if (waiting.length > 0 && pool.waitingCount === 0 && !broken && !pool.ending && handed.isReusable()) {
        handed.givenBack()
        waiting.shift()!(client)
        return
      }
      client.release(broken)
      leave(tenantId)
    },
  }
}
