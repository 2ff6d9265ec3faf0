import { availableParallelism } from 'node:os'

/** How much the scan reads before it refuses: bounds on strangers' input, not on honest modules. */
export type ScanLimits = {
  /** Bytes of one source file of the module; an npm file may have four times as many. */
  readonly fileBytes: number
  readonly files: number
  /** Milliseconds of the processor one file may keep its thread busy. */
  readonly fileMs: number
  readonly memoryMb: number
  /** That following the values of the whole module may take, of which an honest one takes thousands. */
  readonly steps: number
  /** Milliseconds the whole scan may take, following the values included. */
  readonly scanMs: number
  readonly workers: number
}

export const defaultLimits: ScanLimits = {
  fileBytes: 1_000_000,
  files: 5_000,
  fileMs: 10_000,
  memoryMb: 1_024,
  steps: 100_000_000,
  scanMs: 170_000,
  workers: Math.min(2, availableParallelism()),
}
