import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { after, test } from 'node:test'
import { startCountdown } from '../../host/builder/countdown.ts'

const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** One that works all the time, on the first core alone. */
async function startLoop(): Promise<number> {
  const child = spawn('taskset', ['-c', '0', process.execPath, '-e', 'console.log(1); for (;;);'])
  started.push(child)
  await once(child.stdout, 'data')
  return child.pid!
}

const countsDown = (pid: number, limit: number) =>
  new Promise<number>((resolve) => {
    const began = performance.now()
    const stop = startCountdown(pid, limit, () => {
      stop()
      resolve(performance.now() - began)
    })
  })

test('what waits for a core has its time all the same, ten times as much by the clock at most', {
  skip: process.platform !== 'linux' && 'other systems do not tell who waits for a core',
}, async () => {
  const limit = 600
  const pid = await startLoop()
  assert.ok((await countsDown(pid, limit)) >= limit)
  setPriority(pid, 19)
  for (const _other of [1, 2]) await startLoop()
  const starved = await countsDown(pid, limit)
  assert.ok(starved > 1.5 * limit, `${starved} ms`)
})

test('one that does nothing has the time of the clock', async () => {
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  started.push(idle)
  assert.ok((await countsDown(idle.pid!, 100)) >= 100)
})
