import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { afterEach, test } from 'node:test'
import { startCountdown } from '../../host/builder/countdown.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

const loop = 'console.log(1); for (;;);'
const manyLoops = `const { Worker } = require('node:worker_threads')
  for (let count = 0; count < 12; count++) new Worker('for (;;);', { eval: true })
  ${loop}`

/** One that works all the time, on the first core alone. */
async function startLoop(code = loop): Promise<number> {
  const child = spawn('taskset', ['-c', '0', process.execPath, '-e', code])
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

const onLinux = { skip: process.platform !== 'linux' && 'other systems do not tell who waits for a core' }

test('what waits for a core has its time all the same, ten times as much by the clock at most', onLinux, async () => {
  const limit = 600
  const pid = await startLoop()
  assert.ok((await countsDown(pid, limit)) >= limit)
  setPriority(pid, 19)
  for (const _other of [1, 2]) await startLoop()
  const starved = await countsDown(pid, limit)
  assert.ok(starved > 1.5 * limit, `${starved} ms`)
})

test('of threads that wait for each other all have the time of one', onLinux, async () => {
  const limit = 600
  const took = await countsDown(await startLoop(manyLoops), limit)
  assert.ok(took < 6 * limit, `${took} ms`)
})

test('one that does nothing has the time of the clock', async () => {
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  started.push(idle)
  assert.ok((await countsDown(idle.pid!, 100)) >= 100)
})
