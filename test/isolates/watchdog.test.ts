import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProcessStat } from '../../host/processes/process-stat.ts'
import { createWatchdog } from '../../host/isolates/pool/watchdog.ts'

const limits = { unresponsiveCpuMs: 500, silenceMs: 5_000, runnerRssMb: 1_024, runnerGrowthMb: 384 }

function watched(stat: ProcessStat) {
  const seen: (number | string)[] = []
  const watchdog = createWatchdog(
    limits,
    () => stat,
    (number) => seen.push(number),
    (hurry) => seen.push(hurry ? 'hurry' : 'settle'),
  )
  const ticks = (count: number) => Array.from({ length: count }, () => watchdog.tick()).find((verdict) => verdict)
  return { watchdog, seen, ticks }
}

test('a runner that owes an answer for half a second gets its turn, and gives it back with the answer', () => {
  const stat = { cpuMs: 10, ranNs: 1e7, rssMb: 50, runnable: true }
  const { watchdog, seen, ticks } = watched(stat)
  assert.equal(ticks(26), undefined)
  assert.deepEqual(seen, [1, 'hurry'])
  watchdog.pong(1)
  assert.deepEqual(seen, [1, 'hurry', 'settle'])
})

test('a runner that gets no CPU is never killed for waiting; one that uses its CPU time is', () => {
  const stat = { cpuMs: 10, ranNs: 1e7, rssMb: 50, runnable: true }
  const { ticks } = watched(stat)
  assert.equal(ticks(1_000), undefined)
  stat.cpuMs += 500
  assert.equal(ticks(1), 'cpu')
})

test('a verdict on silence falls with an answer that was on its way; one on memory stands', () => {
  const stat = { cpuMs: 10, ranNs: 1e7, rssMb: 50, runnable: true }
  const { watchdog, ticks } = watched(stat)
  ticks(1)
  stat.cpuMs += 500
  assert.equal(ticks(1), 'cpu')
  assert.equal(watchdog.stands('cpu'), true)
  watchdog.pong(1)
  assert.equal(watchdog.stands('cpu'), false)
  assert.equal(watchdog.stands('memory'), true)
})

test('silence without CPU and too much memory are verdicts of their own', () => {
  assert.equal(watched({ cpuMs: 10, ranNs: 1e7, rssMb: 50, runnable: false }).ticks(260), 'silence')
  assert.equal(watched({ cpuMs: 10, ranNs: 1e7, rssMb: 1_025, runnable: false }).ticks(1), 'memory')
})

test('memory that grows by a lot between two answers is a verdict; what grows by and by is none until all is used up', () => {
  const stat = { cpuMs: 10, ranNs: 1e7, rssMb: 100, runnable: false }
  const { watchdog, ticks } = watched(stat)
  assert.equal(ticks(1), undefined)
  stat.rssMb = 484
  assert.equal(ticks(1), undefined)
  watchdog.pong(1)
  stat.rssMb = 868
  assert.equal(ticks(1), undefined)
  stat.rssMb = 869
  assert.equal(ticks(1), 'memory')
})

test('a runner that uses no CPU is asked once a second all the same, and only the answer to that counts', () => {
  const stat = { cpuMs: 10, ranNs: 1e7, rssMb: 50, runnable: false }
  const { watchdog, seen, ticks } = watched(stat)
  ticks(1)
  watchdog.pong(1)
  ticks(49)
  assert.deepEqual(seen, [1])
  ticks(1)
  assert.deepEqual(seen, [1, 2])
  assert.equal(ticks(240), undefined)
  for (const other of [0, 1, 3]) watchdog.pong(other)
  assert.equal(watchdog.owes(), true)
  assert.equal(ticks(10), 'silence')
})
