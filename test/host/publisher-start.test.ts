import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startPublisher } from '../../host/supervisor/publisher.ts'
import { processesBelow } from '../support/process-tree.ts'

test('a start whose publisher is killed, as where memory is short, says so', {
  skip: process.platform !== 'linux',
}, async () => {
  const ending = new AbortController()
  const never = new Promise<never>(() => {})
  const publisher = startPublisher({ start: never, pool: never, ending: ending.signal, log: () => {} })
  const failed = assert.rejects(publisher.prepared, { message: 'the publisher ended before it was done (SIGKILL)' })
  const found = () => processesBelow(process.pid, 'publishing/main.ts')
  while (found().length === 0) await setTimeout(5)
  ending.abort()
  for (const pid of found()) process.kill(pid, 'SIGKILL')
  await failed
})
