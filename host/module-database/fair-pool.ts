import { ModuleSqlError, type ServerError } from './errors.ts'
import type { ModuleConnection } from './module-connection.ts'

export type PoolLimits = {
  /** Sessions of one role in this process. Default 4. One tenant gets at most half of them. */
  perRole: number
  /** Sessions of all modules in this process. Default 40. */
  total: number
  /** Characters of one role's calls that may wait, with their values. Default 16 million; of one tenant half of them. */
  queue: number
  /** How long a call may wait. Default 5,000. */
  waitMs: number
  /** A session unused for so long is closed. Default 60,000. */
  idleMs: number
}

export type FairPool = {
  /** `size`: how many characters the call keeps while it waits. */
  acquire(role: string, tenant: string, size: number): Promise<ModuleConnection>
  release(connection: ModuleConnection, tenant: string): void
  /** Ends idle sessions, and those in use as they come back. */
  close(): void
}

/** A call takes up at least so many characters: beside its text there is a request that waits. */
const leastSize = 4_096

const tooManySessions = '53300'

type Waiter = {
  tenant: string
  size: number
  grant(connection: ModuleConnection): void
  fail(error: Error): void
  timer: NodeJS.Timeout
}
type RolePool = {
  idle: { connection: ModuleConnection; since: number }[]
  open: number
  /** Of those, sessions that are yet to be there. */
  opening: number
  busy: Map<string, number>
  waiting: Waiter[]
  /** Of those who wait, by tenant. */
  sizes: Map<string, number>
}

/**
 * Sessions by role, handed out in order of arrival except that no tenant holds more than half of a role's sessions:
 * one school's slow statements leave the other schools theirs.
 */
export function createFairPool(open: (role: string) => Promise<ModuleConnection>, limits: PoolLimits): FairPool {
  const roles = new Map<string, RolePool>()
  const perTenant = Math.max(1, Math.floor(limits.perRole / 2))
  let total = 0
  let closed = false
  const sweeper = setInterval(() => closeIdle(Date.now() - limits.idleMs), Math.max(100, limits.idleMs / 2))
  sweeper.unref()

  const poolOf = (role: string): RolePool => {
    const pool = roles.get(role) ?? { idle: [], open: 0, opening: 0, busy: new Map(), waiting: [], sizes: new Map() }
    roles.set(role, pool)
    return pool
  }

  const mayHave = (pool: RolePool, tenant: string) => (pool.busy.get(tenant) ?? 0) < perTenant

  function take(pool: RolePool, tenant: string): void {
    pool.busy.set(tenant, (pool.busy.get(tenant) ?? 0) + 1)
  }

  function giveBack(pool: RolePool, tenant: string): void {
    const busy = (pool.busy.get(tenant) ?? 1) - 1
    if (busy === 0) pool.busy.delete(tenant)
    else pool.busy.set(tenant, busy)
  }

  function drop(pool: RolePool, connection: ModuleConnection): void {
    pool.open--
    total--
    connection.destroy()
  }

  function closeIdle(before: number): void {
    for (const [role, pool] of roles) {
      while (pool.idle.length > 0 && pool.idle[0]!.since <= before) drop(pool, pool.idle.shift()!.connection)
      if (pool.open === 0 && pool.waiting.length === 0) roles.delete(role)
    }
  }

  /** A session that died while it was idle is not handed out. */
  function takeIdle(pool: RolePool): ModuleConnection | undefined {
    for (let idle = pool.idle.pop(); idle; idle = pool.idle.pop()) {
      if (idle.connection.reusable()) return idle.connection
      drop(pool, idle.connection)
    }
    return undefined
  }

  /** Makes room for one more session by closing the one that was idle for longest. */
  function roomForOne(): boolean {
    if (total < limits.total) return true
    let oldest: RolePool | undefined
    for (const pool of roles.values()) {
      if (pool.idle.length > 0 && (!oldest || pool.idle[0]!.since < oldest.idle[0]!.since)) oldest = pool
    }
    if (oldest) drop(oldest, oldest.idle.shift()!.connection)
    return oldest !== undefined
  }

  /** Null where the server admits no more, and one that is there will come back: other processes have theirs. */
  async function openOne(role: string, pool: RolePool): Promise<ModuleConnection | null> {
    pool.open++
    pool.opening++
    total++
    try {
      return await open(role)
    } catch (error) {
      pool.open--
      total--
      if ((error as ServerError).code === tooManySessions && pool.open >= pool.opening) return null
      throw new ModuleSqlError('unavailable', 'the database is not available: try again')
    } finally {
      pool.opening--
    }
  }

  /** For a call that was counted in: one more session, or the first that comes back. */
  async function openOrWait(role: string, pool: RolePool, tenant: string, size: number): Promise<ModuleConnection> {
    const opened = await openOne(role, pool).catch((error: Error) => {
      giveBack(pool, tenant)
      serveAll()
      throw error
    })
    const ready = opened ?? takeIdle(pool)
    if (!ready) giveBack(pool, tenant)
    // Who has sessions is served when one comes back: for more of them, the answer would be the same.
    if (!opened) serveAll((other) => other.open === 0)
    return ready ?? wait(pool, tenant, size)
  }

  /** After a session came back, was lost or could not be opened: the first who may have one, gets one. */
  function serveNext(role: string, pool: RolePool): void {
    for (let index = 0; index < pool.waiting.length; index++) {
      const waiter = pool.waiting[index]!
      if (!mayHave(pool, waiter.tenant)) continue
      const idle = takeIdle(pool)
      if (!idle && (pool.open >= limits.perRole || !roomForOne())) return
      leave(pool, waiter, index)
      take(pool, waiter.tenant)
      if (idle) waiter.grant(idle)
      else openOrWait(role, pool, waiter.tenant, waiter.size).then(waiter.grant, waiter.fail)
      return
    }
  }

  /** Any role may have been waiting for room. */
  function serveAll(isMeant = (_pool: RolePool) => true): void {
    for (const [role, pool] of roles) if (pool.waiting.length > 0 && isMeant(pool)) serveNext(role, pool)
  }

  /**
   * A class that opens a page at once is a line that is gone in a moment: how long a call waits tells whether there are too
   * many, and what they keep meanwhile is bounded by its size.
   */
  function wait(pool: RolePool, tenant: string, text: number): Promise<ModuleConnection> {
    const size = Math.max(leastSize, text)
    const ofTenant = (pool.sizes.get(tenant) ?? 0) + size
    const ofAll = pool.sizes.values().reduce((sum, other) => sum + other, size)
    if (ofAll > limits.queue || ofTenant > limits.queue / 2) throw overloaded()
    return new Promise((grant, fail) => {
      const waiter: Waiter = { tenant, size, grant, fail, timer: setTimeout(giveUp, limits.waitMs) }
      function giveUp(): void {
        leave(pool, waiter, pool.waiting.indexOf(waiter))
        fail(overloaded())
      }
      pool.waiting.push(waiter)
      pool.sizes.set(tenant, ofTenant)
    })
  }

  function leave(pool: RolePool, { tenant, size, timer }: Waiter, index: number): void {
    clearTimeout(timer)
    pool.waiting.splice(index, 1)
    const left = pool.sizes.get(tenant)! - size
    if (left === 0) pool.sizes.delete(tenant)
    else pool.sizes.set(tenant, left)
  }

  return {
    async acquire(role, tenant, size) {
      if (closed) throw new ModuleSqlError('unavailable', 'the host is stopping')
      const pool = poolOf(role)
      if (!mayHave(pool, tenant)) return wait(pool, tenant, size)
      const idle = takeIdle(pool)
      if (!idle && (pool.open >= limits.perRole || !roomForOne())) return wait(pool, tenant, size)
      take(pool, tenant)
      return idle ?? openOrWait(role, pool, tenant, size)
    },
    release(connection, tenant) {
      const pool = poolOf(connection.role)
      const roomIsScarce = total >= limits.total
      giveBack(pool, tenant)
      // Anything but a session outside of a transaction is not what was handed out.
      if (closed || !connection.reusable()) drop(pool, connection)
      else pool.idle.push({ connection, since: Date.now() })
      if (pool.waiting.length > 0) serveNext(connection.role, pool)
      if (roomIsScarce) serveAll()
    },
    close() {
      closed = true
      clearInterval(sweeper)
      for (const pool of roles.values()) {
        for (const waiter of [...pool.waiting]) {
          leave(pool, waiter, 0)
          waiter.fail(new ModuleSqlError('unavailable', 'the host is stopping'))
        }
      }
      closeIdle(Number.POSITIVE_INFINITY)
    },
  }
}

const overloaded = () => new ModuleSqlError('unavailable', 'the module has too many statements waiting: try again')
