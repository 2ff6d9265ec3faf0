import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { readSettings, withoutSecrets } from '../../host/config.ts'
import type { RunnerPool } from '../../host/isolates/pool/pool.ts'
import { publicSigningKey, webKeys } from '../../host/security/keys.ts'
import { startWebProcesses } from '../../host/supervisor/web-processes.ts'
import type { WebStart } from '../../host/web/web-start.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'

/** For processes of which no module is asked. */
const noRunners = { attachWeb() {} } as unknown as RunnerPool

test('a web process that a message or a signal did not reach lives: none is started in its place until it has ended', async () => {
  const database = await createTestDatabase()
  const ending = new AbortController()
  const told: string[] = []
  const start: WebStart = {
    settings: withoutSecrets(readSettings({ PORT: '0', LOG_LEVEL: 'error' })),
    connection: database.connection,
    keys: { ...webKeys(testHostKey), data: testHostKey, runtime: testHostKey },
    publicKey: publicSigningKey(testHostKey),
    operatorTokenHash: '00'.repeat(32),
    embedded: true,
  }
  const web = startWebProcesses({
    count: 1,
    pool: Promise.resolve(noRunners),
    methods: {},
    start: Promise.resolve(start),
    ending: ending.signal,
    log: (message) => told.push(message),
  })
  try {
    await web.ready
    const [first] = Object.values(cluster.workers!)
    first!.process.emit('error', new Error('write EPIPE'))
    assert.deepEqual((await web.callAll('alive')).answers, [true])
    const living = Object.values(cluster.workers!).map((worker) => worker!.process.pid)
    assert.deepEqual([living, told], [[first!.process.pid], []])
    const replaced = once(cluster, 'fork')
    first!.process.kill('SIGKILL')
    await replaced
    assert.deepEqual(told, ['a web process ended (SIGKILL): starting another'])
  } finally {
    ending.abort()
    await web.stop()
    await database.drop()
  }
})
