import { createRequire } from 'node:module'
import type { PrettyStream } from 'pino-pretty'

/** For a terminal: one coloured line a record. Loaded at need: processes of a service have none. */
export function pinoPretty(): PrettyStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  return pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
}
