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

export const rounded = (value: number): number => Math.round(value * 100) / 100
