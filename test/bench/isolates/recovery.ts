import { bundleOf, moduleOf, requestOf, startSandbox } from '../../isolates/support.ts'
import { createRunnerPool } from '../../../host/isolates/pool/pool.ts'
import { createIsolateClient } from '../../../host/isolates/client/client.ts'
import { type BenchLine, median } from '../bench-line.ts'
import { line } from './support.ts'

const rounds = 5
const stuck = '(entry) => (entry === "stick" ? Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) : 1)'

/** How soon a runner that ignores its time slices is found, and how soon the spare answers in its place. */
export async function run(): Promise<BenchLine[]> {
  const detection: number[] = []
  const recovery: number[] = []
  const cold: number[] = []
  for (let round = 0; round < rounds; round++) {
    cold.push(await runnerColdStart())
    const sandbox = await startSandbox({}, { runners: 1, spares: 1 })
    try {
      await sandbox.run('victim', '() => 1')
      await sandbox.run('stuck', stuck)
      await sandbox.run('victim', '() => 1')
      await spareReady(sandbox.pool)
      let start = performance.now()
      const answer = await sandbox.run('stuck', stuck, { entry: 'stick' })
      detection.push(performance.now() - start)
      if (answer.ok) throw new Error('it answered')
      start = performance.now()
      const next = await sandbox.run('victim', '() => 1')
      recovery.push(performance.now() - start)
      if (!next.ok) throw new Error(next.error.message)
    } finally {
      await sandbox.close()
    }
  }
  return [
    line('detection of a runner that will not stop / 0.7 s', median(detection), 700, 1, 'ms'),
    line('recovery by the spare / start of a runner', median(recovery), median(cold), 0.15, 'ms'),
  ]
}

async function spareReady(pool: { stats: () => { runners: { role: string; rssMb?: unknown }[] } }): Promise<void> {
  const deadline = performance.now() + 5_000
  const isReady = () =>
    pool.stats().runners.some(({ role, isolates }: Record<string, unknown>) => role === 'spare' && isolates === 0)
  while (!isReady() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function runnerColdStart(): Promise<number> {
  const start = performance.now()
  const pool = await createRunnerPool({ runners: 0, spares: 0 })
  const client = createIsolateClient({ links: pool.links() })
  const bundle = bundleOf(moduleOf('() => 1'))
  const answer = await client.call(requestOf('first', bundle.code))
  const took = performance.now() - start
  client.close()
  await pool.close()
  if (!answer.ok) throw new Error(answer.error.message)
  return took
}
