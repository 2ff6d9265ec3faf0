import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { watchThread } from '../../../policy/scan/thread.ts'

const work = `const { parentPort } = require('node:worker_threads')
parentPort.on('message', (what) => {
  if (what === 'spin') while (true) {}
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  parentPort.postMessage({ cpuMs: 0, analysis: { findings: [] } })
})`

/** What becomes of a thread that has 250 ms for what it is told to do. */
async function outcome(what: 'spin' | 'wait'): Promise<string> {
  const worker = new Worker(work, { eval: true })
  const ended = Promise.withResolvers<string>()
  const watch = watchThread(
    { worker, ready: Promise.resolve(), spentMs: 0 },
    250,
    () => ended.resolve('answer'),
    ({ failure }) => ended.resolve(failure),
  )
  try {
    await once(worker, 'online')
    watch.progress()
    worker.postMessage(what)
    return await ended.promise
  } finally {
    watch.stop()
    await worker.terminate()
  }
}

test('a thread that waits for the processor is not ended: only the time it works counts', async () => {
  assert.equal(await outcome('wait'), 'answer')
})

test('a thread that works without end is ended', async () => {
  assert.equal(await outcome('spin'), 'timeout')
})
