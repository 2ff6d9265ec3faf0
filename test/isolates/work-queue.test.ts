import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createWorkQueue } from '../../host/isolates/runner/work-queue.ts'

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

/** Both ends of a connection. */
async function pair(): Promise<{ near: Socket; far: Socket }> {
  const accepted = once(server, 'connection')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1').setNoDelay(true)
  const [far] = (await accepted) as [Socket]
  after(() => near.destroy())
  return { near, far }
}

const busy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** A runner's queue beside two connections: one brings work, the other the watchdog's ping. */
async function runner() {
  const seen: string[] = []
  const idle = Promise.withResolvers<void>()
  const enqueue = createWorkQueue({ onJob() {}, onIdle: idle.resolve })
  const [work, control] = [await pair(), await pair()]
  control.near.on('data', () => seen.push('ping'))
  return { seen, idle: idle.promise, enqueue, work, control }
}

test('a ping that came while a job held the runner is answered before the next job', async () => {
  const { seen, idle, enqueue, work, control } = await runner()
  work.near.on('data', () => {
    enqueue(() => {
      seen.push('long')
      control.far.write('x')
      busy(60)
    })
    enqueue(() => seen.push('next'))
  })
  work.far.write('x')
  await idle
  assert.deepEqual(seen, ['long', 'ping', 'next'])
})

for (const first of ['work', 'control'] as const) {
  test(`what arrived together with work is read before the work begins, ${first} first`, async () => {
    const { seen, idle, enqueue, work, control } = await runner()
    work.near.on('data', () => enqueue(() => seen.push('job')))
    // Once both connections are watched, both bytes wait in the kernel before this process looks again.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate)
    for (const { far } of first === 'work' ? [work, control] : [control, work]) far.write('x')
    busy(20)
    await idle
    assert.deepEqual(seen, ['ping', 'job'])
  })
}

test('a queue that never runs empty keeps nothing of the jobs it has done', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const done: WeakRef<object>[] = []
  const idle = Promise.withResolvers<void>()
  const enqueue = createWorkQueue({ onJob() {}, onIdle: idle.resolve })
  let goingOn = true
  const add = () => {
    const frame = { rows: new Array(1_000).fill(0) }
    enqueue(() => {
      busy(21)
      done.push(new WeakRef(frame))
      if (goingOn) add()
    })
  }
  for (let waiting = 0; waiting < 3; waiting++) add()
  while (done.length < 10) await new Promise(setImmediate)
  collect()
  const held = done.slice(0, 9).filter((frame) => frame.deref() !== undefined)
  goingOn = false
  assert.equal(held.length, 0)
  await idle.promise
})
