import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startWebProcess } from '../http/support/web-process.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { type BenchLine, median } from './bench-line.ts'
import { measure } from './support/load.ts'

const connections = 200
const warmUpSeconds = 20
const seconds = 60

/** 200 connections for a minute, each with the token of a limited installation that is used far beyond its limit. */
export async function run(): Promise<BenchLine[]> {
  const database = await createTestDatabase()
  const school = await createSchool(database.admin)
  const web = await startWebProcess(database)
  try {
    const apps = await Promise.all(
      Array.from({ length: connections }, () => installApp(database.admin, school, { rateLimited: true })),
    )
    const load = { url: `${web.url}/apps/education/students`, connections, tokens: apps.map(({ token }) => token) }
    await measure({ ...load, seconds: warmUpSeconds })
    const memory = watchMemory(web.child.pid!)
    const { statuses, p50, p99 } = await measure({ ...load, seconds })
    const used = await memory.stop()
    const third = Math.floor(used.length / 3)
    const [early, late] = [median(used.slice(0, third)), median(used.slice(-third))]
    const faults = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status >= '500' ? count : 0), 0)
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0)
    if (!statuses['200'] || !statuses['429']) throw new Error(`not at the limit: ${JSON.stringify(statuses)}`)
    return [
      line('api-200-connections-5xx', 0, faults / answered, [faults, answered], 'answers'),
      line('api-200-connections-memory-drift', 0.1, Math.abs(late / early - 1), [late, early], 'KiB'),
      line('api-200-connections-p99', 10, p99 / Math.max(p50, 1), [p99, p50], 'ms'),
    ]
  } finally {
    await web.stop()
    await database.drop()
  }
}

/** The resident memory of a process, in KiB, every two seconds. */
function watchMemory(pid: number): { stop(): Promise<number[]> } {
  const used: number[] = []
  const look = async () => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
    used.push(Number(stdout))
  }
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, 2_000)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      return used
    },
  }
}

const line = (name: string, goal: number, ratio: number, [ours, peer]: [number, number], unit: string): BenchLine => ({
  name,
  ratio: Math.round(ratio * 1_000) / 1_000,
  goal,
  better: 'lower',
  ours,
  peer,
  unit,
})
