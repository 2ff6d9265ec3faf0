import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeErrors } from '../../host/isolates/guest/errors.ts'
import { makeOutbox } from '../../host/isolates/guest/outbox.ts'
import { capturePrimordials } from '../../host/isolates/guest/primordials.ts'
import { makeTimers } from '../../host/isolates/guest/timers.ts'

test('of a timer the host hears when it is set and when it is cleared, of one that a step sets and clears nothing', () => {
  const primordials = capturePrimordials()
  const errors = makeErrors(primordials)
  const outbox = makeOutbox(primordials, 1_000)
  const timers = makeTimers(primordials, errors, outbox, 64)
  const start = (ms: number) => timers.start(() => {}, ms, undefined, 64)
  const step = () => {
    timers.tell()
    return outbox.take()
  }
  for (let n = 0; n < 10_000; n++) timers.clear(start(5))
  const kept = start(7.5)
  assert.equal(step(), `t${kept} 7\n`)
  assert.equal(step(), '')
  timers.clear(kept)
  timers.clear(kept)
  assert.equal(step(), `u${kept} 0\n`)
  start(9)
  timers.clearAll()
  assert.equal(step(), '')
  const told = start(9)
  assert.equal(step(), `t${told} 9\n`)
  timers.clearAll()
  assert.equal(step(), `u${told} 0\n`)
})
