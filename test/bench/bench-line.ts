/** One result of a benchmark: ours against a peer, measured in the same run. */
export type BenchLine = {
  name: string
  ratio: number
  goal: number
  better: 'higher' | 'lower'
  ours: number
  peer: number
  unit: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** What one round measured: ours, and the peer of the same round. */
export type Pair = { ours: number; peer: number }

/** The figures of the round with the median ratio; milliseconds, the lower the better. */
export function lineOfRounds(name: string, rounds: readonly Pair[], goal: number): BenchLine {
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer))
  const { ours, peer } = rounds.find((round) => round.ours / round.peer === ratio)!
  return { name, ratio, goal, better: 'lower', ours, peer, unit: 'ms' }
}

export const rounded = (value: number): number => Math.round(value * 100) / 100
