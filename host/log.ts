import { type DestinationStream, type Logger, pino } from 'pino'
import { pinoPretty } from './log-pretty.ts'
import type { Settings } from './config.ts'

/** What may carry a secret is cut out, wherever it stands in a record. */
const redacted = ['authorization', 'cookie', 'token', 'password', 'secret', 'set-cookie'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers.${name}`,
])

/** Where a database error quotes the rows it is about: pupils' records. Its message and its codes name no value of a row. */
const rowsOfErrors = ['detail', 'where', 'internalQuery'].flatMap((name) => [`err.${name}`, `error.${name}`])

/** Logs go to standard error as JSON, readable when that is a terminal. */
export function createLogger(
  settings: Pick<Settings, 'LOG_LEVEL'>,
  destination: DestinationStream = standardError(),
): Logger {
  const options = {
    level: settings.LOG_LEVEL,
    base: { pid: process.pid },
    redact: { paths: [...redacted, ...rowsOfErrors], censor: '********' },
  }
  return pino(options, destination)
}

const standardError = (): DestinationStream =>
  process.stderr.isTTY ? pinoPretty() : pino.destination({ dest: 2, sync: false })
