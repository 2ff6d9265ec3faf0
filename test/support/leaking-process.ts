import { test } from 'node:test'
import { newToken } from '../../host/security/installation-token.ts'
import { createTestLogger } from './run-logs.ts'

// No tests of the suite: the test of the run's own check starts them.
test('a token in a message', () => createTestLogger().info(`issued ${newToken('live')}`))
test('a token on standard error', () => console.error(newToken('test')))
