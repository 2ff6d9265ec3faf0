import { type BenchLine, median } from '../bench-line.ts'
import { type BenchHost, startBenchHost } from './bench-host.ts'
import { generate, type Load } from './load.ts'

const rounds = 5
const seconds = 1.2
const connections = 32

/** Routes of a module over HTTP, held against the same student read through the runtime API. One host, taken in turns. */
export async function run(): Promise<BenchLine[]> {
  const host = await startBenchHost()
  try {
    const loads = loadsOf(host)
    for (const load of Object.values(loads)) await generate(load)
    const seen = { api: [] as number[], call: [] as number[], sql: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      for (const name of ['api', 'call', 'sql'] as const) seen[name].push((await generate(loads[name])).perSecond)
    }
    return [
      line('end-to-end module-call: a student by a module’s route / by the API', seen.call, seen.api, 0.5),
      line('end-to-end module-sql: one statement by a module’s route / a student by the API', seen.sql, seen.api, 0.4),
    ]
  } finally {
    await host.stop()
  }
}

function loadsOf({ url, browser, api, students, notes }: BenchHost): Record<'api' | 'call' | 'sql', Load> {
  const common = { url, connections, seconds }
  return {
    api: { ...common, headers: api, paths: students.map((id) => `/apps/education/students/${id}`) },
    call: { ...common, headers: browser, paths: students.map((id) => `/m/bench/students/${id}`) },
    sql: { ...common, headers: browser, paths: notes.map((id) => `/m/bench/notes/${id}`) },
  }
}

/** The round of the median ratio: both of its figures were taken side by side. */
function line(name: string, ours: number[], peer: number[], goal: number): BenchLine {
  const ratios = ours.map((value, round) => value / peer[round]!)
  const ratio = median(ratios)
  const round = ratios.indexOf(ratio)
  return { name, ratio, goal, better: 'higher', ours: ours[round]!, peer: peer[round]!, unit: 'requests/s' }
}
