import type { Finding } from '../finding.ts'
import { collectFacts } from '../scopes/collect.ts'
import type { FileFacts } from '../scopes/facts.ts'
import type { LintFile } from './lint-file.ts'
import type { Job } from './worker.ts'

/** All the scan keeps of one file: plain data, so that it crosses threads and waits in the cache. */
export type FileAnalysis = { readonly findings: readonly Finding[]; readonly facts?: FileFacts }

export function analyseFile(lint: LintFile, job: Job): FileAnalysis {
  const { findings, parsed } = lint(job.file, job.text, job.kind, job.replaced)
  if (!parsed || job.kind !== 'own') return { findings: findings.map((finding) => inFile(finding, job)) }
  return { findings, facts: collectFacts(parsed.ast, parsed.scopeManager) }
}

/** A finding in a part of a file, at its place in the whole. */
function inFile(finding: Finding, { at = { line: 1, column: 1 } }: Job): Finding {
  const { line, column } = finding
  return { ...finding, line: line + at.line - 1, column: line === 1 ? column + at.column - 1 : column }
}
