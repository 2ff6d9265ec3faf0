import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What is asked of the load generator: these paths in turn, over so many connections, for so long. */
export type Load = {
  url: string
  paths: string[]
  headers: Record<string, string>
  connections: number
  seconds: number
  /** Milliseconds that each connection waits between an answer and its next request. */
  pause?: number
}

/** What it saw; latencies in milliseconds. */
export type Seen = { perSecond: number; p50: number; p99: number }

/** Loads a host from a process of its own. Throws where one answer is anything but 200. */
export async function generate(load: Load): Promise<Seen> {
  const child = fork(fileURLToPath(new URL('./load-generator.ts', import.meta.url)), [JSON.stringify(load)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const seen = await new Promise<Seen | string>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Seen | string))
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
  })
  if (typeof seen === 'string') throw new Error(seen)
  return seen
}
