import { parentPort } from 'node:worker_threads'
import type { FileKind } from '../rules/support/lint-rule.ts'
import { analyseFile, type FileAnalysis } from './analyse-file.ts'
import { createLinter } from './lint-file.ts'

/** One file to look at. `text` is the file's content, read and checked by the main thread. */
export type Job = {
  readonly file: string
  readonly text: string
  readonly kind: FileKind
  /** The parts of Node that the bundle gives this file something else for. */
  readonly replaced?: readonly string[]
  /** Where in the file the text begins, where it is a part of it. Both count from 1. */
  readonly at?: { readonly line: number; readonly column: number }
}
/** `cpuMs`: the processor time this thread has used so far. The first message says only that it is ready. */
export type FromThread = { readonly cpuMs: number }
export type Answer = FromThread & ({ readonly analysis: FileAnalysis } | { readonly crashed: string })

/** A thread of its own, so that a file that keeps the parser busy can be ended with it. */
const lint = createLinter()
// What the first file would pay for the linter itself is no fault of that file.
lint('first.ts', 'export const first = (value: string) => value', 'own')
parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage({ ...answer(job), cpuMs: cpuMs() })
})
parentPort?.postMessage({ cpuMs: cpuMs() })

function answer(job: Job): { analysis: FileAnalysis } | { crashed: string } {
  try {
    return { analysis: analyseFile(lint, job) }
  } catch (error) {
    return { crashed: error instanceof Error ? error.message : String(error) }
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
