import type { Finding } from '../finding.ts'
import type { LintFile } from './lint-file.ts'
import type { Job } from './worker.ts'

/** All the scan keeps of one file: plain data, so that it crosses threads and waits in the cache. */
export type FileAnalysis = { readonly findings: readonly Finding[] }

export function analyseFile(lint: LintFile, job: Job): FileAnalysis {
  const { findings } = lint(job.file, job.text, job.kind)
  return { findings }
}
