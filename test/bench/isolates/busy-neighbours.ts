import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { startSandbox } from '../../isolates/support.ts'
import { type BenchLine, line, median } from './support.ts'

const honestCalls = 60
const windowMs = 1_500
const burn = '() => { for (const end = Date.now() + 120; Date.now() < end; ); return 1 }'
/** Some 30 ms of work, an eighth of a slice: under two busy neighbours it takes several times as long on the clock. */
const work = `() => {
  const rows = Array.from({ length: 2e4 }, (_, id) => ({ id, name: 'Student ' + (id * 7919) % 20011 }))
  rows.sort((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.parse(JSON.stringify(rows)).length
}`

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
  const lost = await falseKills()
  return [
    line('p99 lag of the web process, every runner burning / idle', median(lag.burning), median(lag.idle), 2, 'ms'),
    line('honest calls lost under two busy neighbours / 0.1 %', lost, 0.001, 1, 'share'),
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

async function falseKills(): Promise<number> {
  const neighbours: ChildProcess[] = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const sandbox = await startSandbox({}, { runners: 1, spares: 1 })
  try {
    let lost = 0
    for (let i = 0; i < honestCalls; i++) if (!(await sandbox.run('honest', work)).ok) lost++
    return lost / honestCalls
  } finally {
    for (const neighbour of neighbours) neighbour.kill('SIGKILL')
    await sandbox.close()
  }
}
