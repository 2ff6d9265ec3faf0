import assert from 'node:assert/strict'
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
  const started = new Promise((resolve) => worker.once('online', resolve))
  try {
    await started
    return await new Promise<string>((resolve) => {
      const thread = { worker, ready: Promise.resolve(), spentMs: 0 }
      const watch = watchThread(
        thread,
        250,
        () => resolve('answer'),
        ({ failure }) => resolve(failure),
      )
      watch.progress()
      worker.postMessage(what)
    })
  } finally {
    await worker.terminate()
  }
}

test('a thread that waits for the processor is not ended: only the time it works counts', async () => {
  assert.equal(await outcome('wait'), 'answer')
})

test('a thread that works without end is ended', async () => {
  assert.equal(await outcome('spin'), 'timeout')
})
