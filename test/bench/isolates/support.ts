import { type BenchLine, median } from '../bench-line.ts'

/** Rounds of everything in turn, so that what else the machine does hits all alike. Gives each one's median. */
export async function alternate<Name extends string>(
  rounds: number,
  measured: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measured) as Name[]
  const seen = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (const name of names) await measured[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) seen.get(name)?.push(await measured[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(seen.get(name) ?? [])])) as Record<Name, number>
}

/** Runs `operation` so many times, so many at once; µs for each. */
export async function microseconds(count: number, atOnce: number, operation: () => unknown): Promise<number> {
  let left = count
  const start = performance.now()
  const lane = async () => {
    while (left-- > 0) await operation()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return ((performance.now() - start) * 1_000) / count
}

/** `ratio` is ours against the bare thing of the same run, held against `goal`. */
export const line = (name: string, ours: number, peer: number, goal: number, unit: string): BenchLine => ({
  name,
  ratio: ours / peer,
  goal,
  better: 'lower',
  ours,
  peer,
  unit,
})
