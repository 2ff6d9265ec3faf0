import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTrust } from '../../host/isolates/client/trust.ts'

test('whoever cost a runner is under suspicion for ten minutes from the last time, and nobody else', () => {
  let now = 0
  const trust = createTrust(() => now)
  trust.suspect('a')
  now = 300_000
  trust.suspect('a')
  now = 899_999
  trust.suspect('b')
  assert.deepEqual([trust.isSuspect('a'), trust.isSuspect('b'), trust.isSuspect('c')], [true, true, false])
  now = 900_000
  assert.deepEqual([trust.isSuspect('a'), trust.isSuspect('b')], [false, true])
})
