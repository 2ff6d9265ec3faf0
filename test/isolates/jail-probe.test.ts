import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBuilderJail } from '../../host/builder/builder.ts'
import { buildRunnerJail } from '../../host/isolates/runner-jail.ts'
import { succeeds } from '../../host/jail/probe.ts'
import { takeDescriptors } from '../support/descriptors.ts'

test('a wall is missing where the system refuses it or has no program for it', () => {
  assert.equal(succeeds(['true']), true)
  assert.equal(succeeds(['false']), false)
  assert.equal(succeeds(['/nowhere/unshare']), false)
  assert.equal(succeeds(['/']), false)
})

test('what took too long, was killed or could not be started says nothing of the system', () => {
  assert.throws(() => succeeds(['sleep', '60'], 20), /whether sleep works here is not known \(ETIMEDOUT\)/)
  assert.throws(() => succeeds(['sh', '-c', 'kill -KILL $$']), /whether sh works here is not known \(SIGKILL\)/)
})

test('a jail that is built while descriptors are missing is none, not one without walls', {
  skip: process.platform !== 'linux',
}, () => {
  const giveBack = takeDescriptors()
  try {
    assert.throws(() => buildBuilderJail(), /EMFILE/)
    assert.throws(() => buildRunnerJail(), /EMFILE|too many open files/)
  } finally {
    giveBack()
  }
})
