import { test } from 'node:test'
import { newToken } from '../../host/security/installation-token.ts'
import { createTestLogger } from './run-logs.ts'

// No test of the suite: the test of the run's own check starts it.
test('a token in a message', () => createTestLogger().info(`issued ${newToken('live')}`))
