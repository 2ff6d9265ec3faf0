import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { buildBuilderJail, startBuilder } from '../../host/builder/builder.ts'
import { compileCodeCache } from '../../host/isolates/code-cache.ts'
import { buildRunnerJail } from '../../host/isolates/runner-jail.ts'
import { takeDescriptors } from '../support/descriptors.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
after(() => sandbox.close())

const runners = () => sandbox.pool.stats().runners
async function whole(): Promise<void> {
  while (runners().filter(({ role }) => role !== 'spare').length < 2) await setTimeout(10)
}

test('a host without descriptors for a new runner tries again until it has them', {
  skip: process.platform !== 'linux',
}, async () => {
  assert.equal((await sandbox.run('before', '() => 1')).ok, true)
  const runner = runners().find(({ role }) => role === 'ordinary')!
  const { lost } = sandbox.pool.stats()
  const giveBack = takeDescriptors()
  sandbox.pool.kill(Number(runner.id), 'a test')
  // The runner, and two that could not be started.
  while (sandbox.pool.stats().lost < lost + 3) await setTimeout(20)
  giveBack()
  assert.equal((await sandbox.run('after', '() => 1')).ok, true)
})

test('a web process that was not started takes no lane of any runner', {
  skip: process.platform !== 'linux',
}, async () => {
  await whole()
  const before = runners().map(({ id }) => id)
  const giveBack = takeDescriptors()
  for (let lane = 0; lane < 20; lane++) {
    const child = fork('none')
    const failed = once(child, 'error')
    sandbox.pool.attachWeb(child)
    assert.match(String((await failed)[0]), /EMFILE/)
  }
  giveBack()
  for (let lane = 0; lane < 20; lane++) {
    const child = fork('none', { execPath: '/nowhere/node' })
    const failed = once(child, 'error')
    sandbox.pool.attachWeb(child)
    assert.match(String((await failed)[0]), /ENOENT/)
  }
  assert.equal((await sandbox.run('still', '() => 1')).ok, true)
  assert.deepEqual(
    runners().map(({ id }) => id),
    before,
  )
})

test('without descriptors a builder and a compiler fail, and nothing else does', {
  skip: process.platform !== 'linux',
}, async () => {
  const [jail, runnerJail] = [buildBuilderJail(), buildRunnerJail()]
  const giveBack = takeDescriptors()
  try {
    const builder = startBuilder({ jail, folder: '/' })
    await assert.rejects(builder.ask('migrations'), /EMFILE/)
    await assert.rejects(compileCodeCache('1', runnerJail), /EMFILE/)
  } finally {
    giveBack()
  }
})
