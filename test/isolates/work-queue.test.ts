import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
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

/** What the runner does, in order, when work and the watchdog's ping wait for it at the same time. */
async function order(jobs: readonly { name: string; ms: number }[]): Promise<string[]> {
  const seen: string[] = []
  const idle = Promise.withResolvers<void>()
  const enqueue = createWorkQueue({ onJob() {}, onIdle: idle.resolve })
  const [work, control] = [await pair(), await pair()]
  control.near.on('data', () => seen.push('ping'))
  work.near.on('data', (names) => {
    for (const name of String(names)) {
      enqueue(() => {
        seen.push(name)
        busy(jobs.find((job) => job.name === name)!.ms)
        if (name === jobs[0]!.name) control.far.write('during')
      })
    }
  })
  work.far.write(jobs.map(({ name }) => name).join(''))
  await idle.promise
  return seen
}

test('a ping that came while a job held the runner is answered before the next job', async () => {
  const long = { name: 'a', ms: 60 }
  assert.deepEqual(await order([long, { name: 'b', ms: 1 }, { name: 'c', ms: 1 }]), ['a', 'ping', 'b', 'c'])
})

for (const first of ['work', 'control'] as const) {
  test(`what arrived together with work is read before the work begins, ${first} first`, async () => {
    const seen: string[] = []
    const idle = Promise.withResolvers<void>()
    const enqueue = createWorkQueue({ onJob() {}, onIdle: idle.resolve })
    const [work, control] = [await pair(), await pair()]
    work.near.on('data', () => enqueue(() => seen.push('job')))
    control.near.on('data', () => seen.push('ping'))
    // Both wait in the kernel before this process looks again.
    for (const { far } of first === 'work' ? [work, control] : [control, work]) far.write('x')
    busy(20)
    await idle.promise
    assert.deepEqual(seen, ['ping', 'job'])
  })
}
