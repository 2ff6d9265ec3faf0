import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRunnerPool } from '../../../host/isolates/pool/pool.ts'
import type { BenchLine } from '../bench-line.ts'
import { alternate, line } from './support.ts'

/**
 * What a module's answer of one megabyte costs the web process's main thread, which never parses it, against writing and
 * reading it once. Each side in a process of its own, so that neither collects the other's garbage.
 *
 * Read straight into memory that is used again (`wire/frame-receiver.ts`) it costs 0.06 to 0.07; 0.25 to 0.3 when it was
 * gathered from chunks of 64 kB and made a string. Most of that was fresh memory: each new page costs more than its bytes.
 */
export async function run(): Promise<BenchLine[]> {
  const pool = await createRunnerPool({ runners: 1, spares: 0 })
  const start = (file: string) =>
    fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: ['--no-node-snapshot'] })
  const web = start('./pass-through-web.ts')
  const bare = start('./bare/stringify-parse.ts')
  pool.attachWeb(web)
  const measured = async (child: typeof web): Promise<number> => {
    const answer = new Promise<number>((resolve) => {
      child.on('message', function listen(message) {
        if (typeof message !== 'number') return
        child.off('message', listen)
        resolve(message)
      })
    })
    child.send('measure')
    return answer
  }
  try {
    const took = await alternate(5, { ours: () => measured(web), peer: () => measured(bare) })
    return [
      line(
        'one megabyte passed through, CPU of the web process / stringify and parse',
        took.ours,
        took.peer,
        0.1,
        'ms',
      ),
    ]
  } finally {
    for (const child of [web, bare]) {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    }
    await pool.close()
  }
}
