import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFairPool } from '../../host/module-database/fair-pool.ts'
import type { ModuleConnection } from '../../host/module-database/module-connection.ts'

/** A session without a server behind it: the pool looks at nothing else. */
function session(role: string, onDestroy: () => void): ModuleConnection & { broken: boolean } {
  const unused = () => assert.fail('the pool runs no statement')
  const made = {
    role,
    broken: false,
    lastTenant: null,
    status: () => 'I' as const,
    reusable: () => !made.broken,
    prepare: unused,
    describe: unused,
    run: unused,
    cancel: unused,
    destroy: onDestroy,
  }
  return made
}

const limits = { perRole: 4, total: 5, queue: 100 * 4_096, waitMs: 2_000, idleMs: 10_000 }

test('whatever the order of calls: limits hold, nobody waits for ever, and no session is lost or shared', async () => {
  const call = fc.record({
    role: fc.constantFrom('a', 'b', 'c'),
    tenant: fc.constantFrom('x', 'y', 'z'),
    ticks: fc.nat(4),
    breaks: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
      const open = new Map<string, number>()
      const count = (map: Map<string, number>, key: string, by: number) => map.set(key, (map.get(key) ?? 0) + by)
      const busy = new Map<string, number>()
      const inUse = new Set<ModuleConnection>()
      const pool = createFairPool(async (role) => {
        count(open, role, 1)
        await Promise.resolve()
        return session(role, () => count(open, role, -1))
      }, limits)
      await Promise.all(
        calls.map(async ({ role, tenant, ticks, breaks }) => {
          const connection = (await pool.acquire(role, tenant, 100)) as ReturnType<typeof session>
          assert.ok(!inUse.has(connection) && connection.role === role)
          inUse.add(connection)
          count(busy, `${role} ${tenant}`, 1)
          assert.ok(busy.get(`${role} ${tenant}`)! <= limits.perRole / 2)
          assert.ok([...open.values()].every((sessions) => sessions <= limits.perRole))
          assert.ok([...open.values()].reduce((sum, sessions) => sum + sessions, 0) <= limits.total)
          for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate)
          count(busy, `${role} ${tenant}`, -1)
          inUse.delete(connection)
          connection.broken = breaks
          pool.release(connection, tenant)
        }),
      )
      pool.close()
      assert.deepEqual(
        [...open.values()].filter((sessions) => sessions !== 0),
        [],
      )
    }),
    { numRuns: 200 },
  )
})

test('a server that cannot be reached is `unavailable`, and the pool recovers with it', async () => {
  let reachable = false
  const pool = createFairPool(async (role) => {
    if (!reachable) throw new Error('refused')
    return session(role, () => {})
  }, limits)
  for (let attempt = 0; attempt < 10; attempt++)
    await assert.rejects(pool.acquire('a', 'x', 0), { code: 'unavailable' })
  reachable = true
  pool.release(await pool.acquire('a', 'x', 0), 'x')
  pool.close()
})

test('where the server admits no more sessions a call waits for one of those that are there', async () => {
  let admitted = 2
  const pool = createFairPool(async (role) => {
    if (admitted === 0) throw Object.assign(new Error('too many connections for role'), { code: '53300' })
    admitted--
    return session(role, () => admitted++)
  }, limits)
  const [first, second] = await Promise.all([pool.acquire('a', 'x', 0), pool.acquire('a', 'y', 0)])
  const ask = async (tenant: string) => pool.release(await pool.acquire('a', tenant, 0), tenant)
  const waiting = Promise.all(['x', 'z', 'z', 'y'].map(ask))
  await new Promise(setImmediate)
  await assert.rejects(pool.acquire('b', 'x', 0), { code: 'unavailable' }, 'none of this role would come back')
  pool.release(first, 'x')
  await waiting
  ;(second as ReturnType<typeof session>).broken = true
  pool.release(second, 'y')
  await ask('z')
  pool.close()
})

/** A pool whose sessions open in the order of `outcomes`: an error, or, for null, one that is there. */
function poolOf(outcomes: (Error | null)[], given: Partial<typeof limits> = {}) {
  const open = async (role: string) => {
    const error = outcomes.shift()
    await new Promise(setImmediate)
    if (error) throw error
    return session(role, () => {})
  }
  return createFairPool(open, { ...limits, ...given })
}
const away = () => new Error('refused')
const tooMany = () => Object.assign(new Error('too many connections for role'), { code: '53300' })
const unavailable = { code: 'unavailable', message: /^the database is not available/ }

test('a call that waited for one whose session could not be opened is served next, or told why it is not', async () => {
  const recovering = poolOf([away(), away(), null])
  const calls = [0, 1, 2].map(() => recovering.acquire('a', 'x', 0))
  await Promise.all(calls.slice(0, 2).map((call) => assert.rejects(call, unavailable)))
  recovering.release(await calls[2]!, 'x')
  recovering.close()
  const lost = poolOf(Array.from({ length: 9 }, away))
  await Promise.all(Array.from({ length: 9 }, () => assert.rejects(lost.acquire('a', 'x', 0), unavailable)))
  lost.close()
})

test('so is another module’s call that waited for the room, also where the first now waits for a session in use', async () => {
  const failing = poolOf([away(), null], { total: 1 })
  const refused = assert.rejects(failing.acquire('a', 'x', 0), unavailable)
  failing.release(await failing.acquire('b', 'x', 0), 'x')
  await refused
  failing.close()
  const full = poolOf([null, tooMany(), null], { total: 2 })
  const first = await full.acquire('a', 'x', 0)
  const waits = full.acquire('a', 'x', 0)
  full.release(await full.acquire('b', 'x', 0), 'x')
  full.release(first, 'x')
  full.release(await waits, 'x')
  full.close()
})

test('a class that asks at once waits its turn; more text than may wait is refused, half of it for one tenant', async () => {
  const pool = createFairPool(async (role) => session(role, () => {}), {
    ...limits,
    queue: 1_000 * 4_096,
    waitMs: 10_000,
  })
  let served = 0
  const ask = async (tenant: string, size: number) => {
    const connection = await pool.acquire('a', tenant, size)
    await new Promise(setImmediate)
    served++
    pool.release(connection, tenant)
  }
  const inUse = await Promise.all([pool.acquire('a', 'x', 0), pool.acquire('a', 'x', 0)])
  const line = Array.from({ length: 500 }, () => ask('x', 10))
  await assert.rejects(ask('x', 10), { code: 'unavailable' }, 'half of what may wait is one tenant’s')
  const others = [ask('y', 10), ask('y', 10), ask('y', 200 * 4_096)]
  await assert.rejects(ask('z', 400 * 4_096), { code: 'unavailable' })
  for (const connection of inUse) pool.release(connection, 'x')
  await Promise.all([...line, ...others])
  assert.equal(served, 503)
  await Promise.all(Array.from({ length: 500 }, () => ask('x', 10)))
  pool.close()
})
