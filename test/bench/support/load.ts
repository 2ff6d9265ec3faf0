import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'

/** What one process of load sends; with several tokens each request takes the next. */
export type Load = {
  url: string
  seconds: number
  connections?: number
  method?: 'GET' | 'POST'
  tokens?: string[]
  body?: string
  /** A fresh idempotency key for each request. */
  keyed?: boolean
}

export type Measured = { perSecond: number; p50: number; p99: number; statuses: Record<string, number> }

/** Runs the load in a process of its own, so that what is measured shares no thread with who measures. */
export async function measure(load: Load): Promise<Measured> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['load', JSON.stringify(load)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return await new Promise<Measured>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Measured))
    child.once('exit', (code) => reject(new Error(`the load ended with ${code}`)))
  })
}

if (process.argv[2] === 'load') {
  const {
    url,
    seconds,
    connections = 16,
    method = 'GET',
    tokens = [],
    body,
    keyed,
  } = JSON.parse(process.argv[3]!) as Load
  let sent = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    method,
    requests: [
      {
        setupRequest: (request) => {
          sent++
          request.headers = {
            ...(tokens.length > 0 ? { authorization: `Bearer ${tokens[sent % tokens.length]}` } : {}),
            ...(body ? { 'content-type': 'application/json' } : {}),
            ...(keyed ? { 'idempotency-key': `${process.pid}-${sent}` } : {}),
          }
          if (body) request.body = body
          return request
        },
      },
    ],
  })
  const statuses = Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]),
  )
  const measured: Measured = {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    statuses,
  }
  process.send!(measured, () => process.disconnect())
}
