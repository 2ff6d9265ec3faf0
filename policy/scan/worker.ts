import { parentPort } from 'node:worker_threads'
import type { FileKind } from '../rules/support/lint-rule.ts'
import { analyseFile, type FileAnalysis } from './analyse-file.ts'
import { createLinter } from './lint-file.ts'

/** One file to look at. `text` is the file's content, read and checked by the main thread. */
export type Job = { readonly file: string; readonly text: string; readonly kind: FileKind }
export type Answer = { readonly analysis: FileAnalysis } | { readonly crashed: string }

/** A thread of its own, so that a file that keeps the parser busy can be ended with it. */
const lint = createLinter()
parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage(answer(job))
})

function answer(job: Job): Answer {
  try {
    return { analysis: analyseFile(lint, job) }
  } catch (error) {
    return { crashed: error instanceof Error ? error.message : String(error) }
  }
}
