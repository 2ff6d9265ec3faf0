import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveLimits } from '../../host/isolates/limits.ts'
import { roomOfRunners } from '../../host/isolates/pool/room.ts'

const gb = 1_024
const published = { isolatesPerRunner: 200, isolatesMb: 350, runnerRssMb: 512 }

test('on a small machine a runner keeps what is published as the default', () => {
  assert.deepEqual(roomOfRunners(1, gb), published)
  assert.deepEqual(roomOfRunners(7, 8 * gb), published)
})

test('where there is memory it keeps more: a quarter of the machine for all of them, and never over the hard cap', () => {
  assert.deepEqual(roomOfRunners(1, 8 * gb), { isolatesPerRunner: 585, isolatesMb: 1_024, runnerRssMb: 1_497 })
  const most = { isolatesPerRunner: 1_000, isolatesMb: 4_096, runnerRssMb: 5_991 }
  assert.deepEqual(roomOfRunners(1, 64 * gb), most)
  assert.deepEqual(roomOfRunners(0, 64 * gb), most)
})

test('a thousand isolates may be larger than the published ones, where there is memory for it', () => {
  assert.deepEqual(roomOfRunners(1, 24 * gb), { isolatesPerRunner: 1_000, isolatesMb: 3_072, runnerRssMb: 4_493 })
})

test('whatever the machine, the room is within the ranges of the limits', () => {
  for (const runners of [0, 1, 2, 7, 63])
    for (const memory of [0.25, 0.5, 2, 4, 24, 1_024]) resolveLimits(roomOfRunners(runners, memory * gb))
})

// On 24 GB a runner was ended as too large, and a module struck for it, before it held what it may keep: isolates take a
// twentieth to a tenth more than their heaps, and between quiet moments there may be a tenth more of them.
test('a runner that holds all it may keep, and a tenth more, is far from being ended for its memory', () => {
  for (const memory of [0.5, 2, 4, 8, 16, 24, 64, 1_024]) {
    const { isolatesMb, runnerRssMb } = roomOfRunners(1, memory * gb)
    assert.ok(
      runnerRssMb > isolatesMb * 1.1 * 1.12 + 60,
      `${memory} GB: ${runnerRssMb} MB for ${isolatesMb} MB of heaps`,
    )
  }
})
