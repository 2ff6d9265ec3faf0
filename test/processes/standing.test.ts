import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStanding } from '../../host/processes/standing.ts'
import type { Rank } from '../../host/processes/rank.ts'

/** A runner on a clock of its own, looked at every 20 ms. */
function watched() {
  const orders: Rank[] = []
  let [at, ranNs] = [0, 0]
  const standing = createStanding(
    (rank) => orders.push(rank),
    () => at,
  )
  /** Wants the CPU for so long and gets this share of it. */
  const wants = (ms: number, share: number, burns = false) => {
    for (const end = at + ms; at < end; ) {
      at += 20
      ranNs += 20e6 * share
      standing.seen({ cpuMs: ranNs / 1e6, ranNs, rssMb: 50, runnable: share < 1 || burns }, burns)
    }
    return orders
  }
  const rests = (ms: number) => {
    for (const end = at + ms; at < end; ) {
      at += 20
      standing.seen({ cpuMs: ranNs / 1e6, ranNs, rssMb: 50, runnable: false }, false)
    }
    return orders
  }
  return { standing, orders, wants, rests }
}

test('a runner comes last from its first look on, at work or at rest', () => {
  const { wants, rests } = watched()
  rests(1_000)
  assert.deepEqual(wants(1_000, 1), ['last'])
})

test('one that wants the CPU and gets none has a share within three looks, for two seconds', () => {
  const { wants, rests } = watched()
  assert.deepEqual(wants(60, 0), ['last', 'ordinary'])
  assert.deepEqual(wants(1_800, 0.1), ['last', 'ordinary'])
  assert.deepEqual(rests(300), ['last', 'ordinary', 'last'])
})

test('one whose guests burn has a part of it', () => {
  const { wants } = watched()
  assert.deepEqual(wants(1_000, 1, true), ['last'])
  assert.deepEqual(wants(60, 0, true), ['last', 'low'])
  assert.deepEqual(wants(60, 0), ['last', 'low', 'ordinary'])
})

test('in a hurry it gets a share like anybody’s, burning or not, and comes last again', () => {
  const { standing, orders, wants } = watched()
  wants(100, 1, true)
  standing.hurry(true)
  wants(100, 1, true)
  standing.hurry(false)
  assert.deepEqual(orders, ['last', 'ordinary', 'last'])
})
