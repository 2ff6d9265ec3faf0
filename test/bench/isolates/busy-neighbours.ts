import { monitorEventLoopDelay } from 'node:perf_hooks'
import { availableParallelism } from 'node:os'
import { startSandbox } from '../../isolates/support.ts'
import { honestCallLines } from './honest-calls.ts'
import { type BenchLine, median } from '../bench-line.ts'
import { line } from './support.ts'

const honestCalls = 60
const windowMs = 1_500
const burn = '() => { for (const end = Date.now() + 120; Date.now() < end; ); return 1 }'
/** What burning runners cost the web process's event loop, and how often an honest module is taken for a stuck one. */
export async function run(): Promise<BenchLine[]> {
  const lag: { idle: number[]; burning: number[] } = { idle: [], burning: [] }
  const sandbox = await startSandbox({}, { runners: availableParallelism(), spares: 0 })
  try {
    await sandbox.run('warm-up', burn)
    for (let round = 0; round < 5; round++) {
      lag.idle.push(await eventLoopLag(async () => {}))
      lag.burning.push(await eventLoopLag((until) => burnAll(sandbox, until)))
    }
  } finally {
    await sandbox.close()
  }
  return [
    line('p99 lag of the web process, every runner burning / idle', median(lag.burning), median(lag.idle), 2, 'ms'),
    ...(await honestCallLines(honestCalls)),
  ]
}

async function burnAll(sandbox: Awaited<ReturnType<typeof startSandbox>>, until: number): Promise<void> {
  const loops = Array.from({ length: availableParallelism() * 4 }, async (_, n) => {
    const installation = { id: `burner ${n}`, app: 'warm-up', version: '1.0.0', tenantId: 't' }
    while (performance.now() < until) await sandbox.run('warm-up', burn, { installation })
  })
  await Promise.all(loops)
}

async function eventLoopLag(load: (until: number) => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const until = performance.now() + windowMs
  const loaded = load(until)
  delay.enable()
  await new Promise((resolve) => setTimeout(resolve, windowMs))
  delay.disable()
  await loaded
  return delay.percentile(99) / 1e6
}
