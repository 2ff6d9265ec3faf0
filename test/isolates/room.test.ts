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
  assert.deepEqual(roomOfRunners(1, 8 * gb), { isolatesPerRunner: 585, isolatesMb: 1_024, runnerRssMb: 1_186 })
  const most = { isolatesPerRunner: 1_000, isolatesMb: 4_096, runnerRssMb: 4_258 }
  assert.deepEqual(roomOfRunners(1, 64 * gb), most)
  assert.deepEqual(roomOfRunners(0, 64 * gb), most)
})

test('a thousand isolates may be larger than the published ones, where there is memory for it', () => {
  assert.deepEqual(roomOfRunners(1, 24 * gb), { isolatesPerRunner: 1_000, isolatesMb: 3_072, runnerRssMb: 3_234 })
})

test('whatever the machine, the room is within the ranges of the limits', () => {
  for (const runners of [0, 1, 2, 7, 63])
    for (const memory of [0.25, 0.5, 2, 4, 24, 1_024]) resolveLimits(roomOfRunners(runners, memory * gb))
})
