import assert from 'node:assert/strict'
import type { Writable } from 'node:stream'
import { test } from 'node:test'
import { createOutgoing } from '../../host/isolates/runner/outgoing.ts'
import { createWorkQueue } from '../../host/isolates/runner/work-queue.ts'

test('what jobs say leaves before the next job and at the end, one write for each lane, in order', async () => {
  const seen: string[] = []
  const outgoing = createOutgoing((lane) => {
    const write = (bytes: Buffer) => seen.push(`lane ${lane}: ${bytes}`)
    return lane === 9 ? undefined : ({ write } as unknown as Writable)
  })
  const idle = Promise.withResolvers<void>()
  const enqueue = createWorkQueue({
    onJob: outgoing.flush,
    onIdle() {
      outgoing.flush()
      idle.resolve()
    },
  })
  const job = (name: string, ...lanes: number[]) =>
    enqueue(() => {
      seen.push(name)
      for (const lane of lanes) outgoing.put(lane, Buffer.from(name))
    })
  job('a', 0, 1, 0, 9)
  job('b', 1)
  job('c')
  await idle.promise
  assert.deepEqual(seen, ['a', 'lane 0: aa', 'lane 1: a', 'b', 'lane 1: b', 'c'])
})
