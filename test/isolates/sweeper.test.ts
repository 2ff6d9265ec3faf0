import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createSweeper } from '../../host/isolates/runner/sweeper.ts'

/** A sweeper of so many isolates at first, each swept in 2 ms, on a clock of the test's own. */
function sweeperOf(isolates: number) {
  let loaded = isolates
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
  let clock = 1_000
  const swept: number[] = []
  const sweepOne = () => {
    if (swept.length === loaded) return false
    clock += 2
    swept.push(clock)
    return true
  }
  const sweeper = createSweeper({ sweepOne, enqueue: (job) => job(), now: () => clock })
  /** Lets time pass, a millisecond at a time, with a call every so often. */
  const pass = (ms: number, callEvery = Number.POSITIVE_INFINITY) => {
    for (let n = 1; n <= ms; n++) {
      clock++
      if (n % callEvery === 0) sweeper.worked()
      mock.timers.tick(1)
    }
  }
  return { sweeper, swept, pass, load: () => loaded++ }
}

test('sweeps one by one, and rests four times as long as each took', () => {
  const { sweeper, swept, pass } = sweeperOf(3)
  sweeper.begin()
  pass(100)
  assert.deepEqual(swept, [1_002, 1_012, 1_022])
})

test('while it is called nothing is swept; once it is quiet the rest is', () => {
  const { sweeper, swept, pass } = sweeperOf(3)
  sweeper.worked()
  sweeper.begin()
  pass(1_000, 20)
  assert.deepEqual(swept, [])
  pass(200)
  assert.equal(swept.length, 3)
})

test('begun twice it sweeps no faster, and what came later is swept when it begins again', () => {
  const { sweeper, swept, pass, load } = sweeperOf(2)
  for (let n = 0; n < 3; n++) sweeper.begin()
  assert.equal(swept.length, 1)
  pass(100)
  assert.equal(swept.length, 2)
  load()
  pass(100)
  assert.equal(swept.length, 2)
  sweeper.begin()
  assert.equal(swept.length, 3)
})
