import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { createLogger } from '../../host/log.ts'

const environmentName = 'PARTNER_TEST_LOGS'

/** Hands a folder down to all that a run starts: every line that is logged goes there, at the finest level. */
export const logEnvironment = (folder: string) => ({ [environmentName]: folder })

/** Where this process of a run keeps a log; null where a test file runs alone. */
export function logFile(name: string): string | null {
  const folder = process.env[environmentName]
  return folder ? join(folder, `${name}.log`) : null
}

/** The host's own logger, for what tests start in their own process. Standard error, and errors only, outside a run. */
export function createTestLogger(): Logger {
  const file = logFile(`test-${process.pid}`)
  return file
    ? createLogger({ LOG_LEVEL: 'trace' }, pino.destination({ dest: file, append: true, sync: true }))
    : createLogger({ LOG_LEVEL: (process.env.LOG_LEVEL as 'trace' | undefined) ?? 'error' }, pino.destination(2))
}
