import { startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { type BenchLine, median } from './bench-line.ts'

const goals = { first: 5, later: 2 }
const firstStarts = 3
const laterStarts = 5

/** Seconds from the command to the ready line, sample modules included: in an empty data folder, and again in the same. */
export async function run(): Promise<BenchLine[]> {
  const first: number[] = []
  const later: number[] = []
  for (let round = 0; round < firstStarts; round++) {
    const folder = temporaryFolder()
    try {
      first.push(await startAndStop(folder.path))
      for (let again = 0; round === 0 && again < laterStarts; again++) later.push(await startAndStop(folder.path))
    } finally {
      folder.remove()
    }
  }
  return [line('start-first', median(first), goals.first), line('start-later', median(later), goals.later)]
}

async function startAndStop(dataDirectory: string): Promise<number> {
  const begin = performance.now()
  const host = await startHostProcess(dataDirectory, [])
  const seconds = (performance.now() - begin) / 1_000
  await host.stop()
  return seconds
}

const line = (name: string, ours: number, peer: number): BenchLine => ({
  name,
  ratio: ours / peer,
  goal: 1,
  better: 'lower',
  ours,
  peer,
  unit: 's',
})
