import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hostFolder, startHostProcess } from './started-host.ts'

const folder = await hostFolder()
after(() => folder.remove())

// Each web process and the publisher hold a socket of every runner: a runner that had too few was replaced for ever.
test('as many web processes as a machine of fourteen cores has share the runners', async () => {
  const settings = { WEB_PROCESSES: '13', RUNNERS: '1', LOG_LEVEL: 'warn' }
  const host = await startHostProcess(folder.path, ['--no-samples'], settings)
  try {
    const ready = await fetch(`${host.url}/readyz`)
    assert.deepEqual(await ready.json(), { database: true, runners: true })
  } finally {
    const { stdout, stderr } = await host.stop()
    assert.doesNotMatch(stdout + stderr, /is gone/)
  }
})
