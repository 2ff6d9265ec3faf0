import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childEnvironment, startProcess } from '../../host/processes/child-process.ts'

/** Runs `work` in a process whose own program is not there: then the system starts none of ours. */
function withoutProgram<Result>(work: () => Result): Result {
  const program = process.execPath
  process.execPath = '/nowhere/node'
  try {
    return work()
  } finally {
    process.execPath = program
  }
}

test('a process that the system does not start has ended, and whoever started it goes on', async () => {
  const child = withoutProgram(() => startProcess(new URL('../../host/worker/main.ts', import.meta.url)))
  await assert.rejects(child.rpc.call('start'), { code: 'unavailable' })
  assert.match(await child.ended, /ENOENT/)
  await child.stop()
})

test('so it is where Node throws instead of saying so later, as where memory is missing', async () => {
  const tooLong = [`--${'x'.repeat(200_000)}`]
  const child = startProcess(new URL('../../host/worker/main.ts', import.meta.url), {}, tooLong)
  child.process.unref()
  assert.equal(child.process.kill('SIGKILL'), false)
  await assert.rejects(child.rpc.call('start'), { code: 'unavailable' })
  assert.match(await child.ended, /E2BIG/)
  await child.stop()
})

test('processes of ours trust whom the operator trusts, and get no setting', () => {
  process.env.NODE_EXTRA_CA_CERTS = '/etc/school/authority.pem'
  process.env.HOST_KEY = 'secret'
  try {
    const environment = childEnvironment()
    assert.equal(environment.NODE_EXTRA_CA_CERTS, '/etc/school/authority.pem')
    assert.equal(environment.HOST_KEY, undefined)
  } finally {
    delete process.env.NODE_EXTRA_CA_CERTS
    delete process.env.HOST_KEY
  }
})
