import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeErrors } from '../../host/isolates/guest/errors.ts'
import { makeOutbox } from '../../host/isolates/guest/outbox.ts'
import { capturePrimordials } from '../../host/isolates/guest/primordials.ts'
import { makeTimers, type TimerOwner } from '../../host/isolates/guest/timers.ts'

const timersOf = (mostTimers: number) => {
  const primordials = capturePrimordials()
  const outbox = makeOutbox(primordials, 1_000)
  const timers = makeTimers(primordials, makeErrors(primordials), outbox, mostTimers)
  const step = () => {
    timers.tell()
    return outbox.take()
  }
  return { timers, step }
}

test('of a timer the host hears when it is set and when it is cleared, of one that a step sets and clears nothing', () => {
  const { timers, step } = timersOf(64)
  const start = (ms: number) => timers.start(() => {}, ms, undefined, 64)
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

test('where no more timers may be set, the one that an ended request left behind first gives way, and the host is told', () => {
  const { timers, step } = timersOf(6)
  const fired: string[] = []
  const request = (name: string) => {
    const owner: TimerOwner = { open: true, timers: 0, ring: undefined }
    return {
      start: () => timers.start(() => fired.push(name), 5, owner, 6),
      end() {
        owner.open = false
        timers.leave(owner)
      },
    }
  }
  const [open, first, second, last] = [request('open'), request('first'), request('second'), request('last')]
  assert.deepEqual(
    [open.start(), second.start(), first.start(), first.start(), first.start(), second.start()],
    [1, 2, 3, 4, 5, 6],
  )
  assert.throws(last.start, { code: 'too_many_calls' })
  first.end()
  second.end()
  step()
  timers.clear(4)
  assert.deepEqual([last.start(), last.start()], [7, 8])
  assert.equal(step(), 'u4 0\nu3 0\nt7 5\nt8 5\n')
  timers.fire(3)
  timers.fire(5)
  assert.deepEqual([last.start(), last.start(), last.start()], [9, 10, 11])
  assert.equal(step(), 'u2 0\nu6 0\nt9 5\nt10 5\nt11 5\n')
  assert.throws(last.start, { code: 'too_many_calls' })
  for (let id = 1; id <= 11; id++) timers.fire(id)
  assert.deepEqual(fired, ['first', 'open', 'last', 'last', 'last', 'last', 'last'])
})

test('a timer that is left behind in the step that set it gives way without a word to the host', () => {
  const { timers, step } = timersOf(2)
  const visit = () => {
    const owner: TimerOwner = { open: true, timers: 0, ring: undefined }
    timers.start(() => {}, 5, owner, 2)
    owner.open = false
    timers.leave(owner)
  }
  for (let n = 0; n < 1_000; n++) visit()
  assert.equal(step(), 't999 5\nt1000 5\n')
  timers.clearAll()
  assert.equal(step(), 'u999 0\nu1000 0\n')
  for (let n = 0; n < 3; n++) visit()
  assert.equal(step(), 't1002 5\nt1003 5\n')
})
