import { realpath, stat } from 'node:fs/promises'
import type { OperationFacts, ScopeFacts } from '../catalog.ts'
import { type Finding, type ScanReport, sortFindings } from '../finding.ts'
import { bundleFiles } from './bundle.ts'
import { isFinding, listFiles, readSource, sourceNames } from './files.ts'
import { defaultLimits, type ScanLimits } from './limits.ts'
import { createPool, type JobResult } from './pool.ts'

export type ScanInput = {
  readonly catalog: readonly ScopeFacts[]
  readonly operations: readonly OperationFacts[]
  /** A git revision: only what changed since is looked at anew. */
  readonly changed?: string
  readonly limits?: Partial<ScanLimits>
}

const entry = 'src/index.ts'

/** The policy's verdict on a module's folder. It reads; it runs nothing of the module and changes nothing in the folder. */
export async function scan(folder: string, input: ScanInput): Promise<ScanReport> {
  const started = performance.now()
  const limits = { ...defaultLimits, ...input.limits }
  const dir = await moduleFolder(folder)
  const pool = createPool(limits)
  try {
    const listing = await listFiles(dir, limits)
    const bundle = listing.names.includes(entry) ? await bundleFiles(dir, entry) : { files: [], findings: [] }
    const names = [
      ...new Set([...sourceNames(listing.names), ...bundle.files.filter((file) => /\.[cm]?[jt]sx?$/.test(file))]),
    ]
    const sources = await Promise.all(names.map((name) => readSource(dir, name, limits)))
    const results = await pool.run(sources.flatMap((source) => (isFinding(source) ? [] : [source])))
    const findings = [
      ...listing.findings,
      ...bundle.findings,
      ...sources.filter(isFinding),
      ...results.flatMap(findingsOf),
    ]
    const scopes = { used: [], declared: [], unused: [], undeclared: [] }
    return {
      findings: sortFindings(findings),
      scopes,
      files: names.length,
      ms: Math.round(performance.now() - started),
    }
  } finally {
    await pool.close()
  }
}

async function moduleFolder(folder: string): Promise<string> {
  const dir = await realpath(folder).catch(() => undefined)
  if (!dir || !(await stat(dir)).isDirectory()) throw new Error(`${folder} is no folder`)
  return dir
}

function findingsOf(result: JobResult): readonly Finding[] {
  if (result.analysis) return result.analysis.findings
  const message =
    result.failure === 'timeout'
      ? 'The parser did not finish this file in time.'
      : 'The parser could not survive this file.'
  return [
    {
      rule: 'file-timeout',
      severity: 'error',
      file: result.job.file,
      line: 1,
      column: 1,
      message,
      fix: 'Write it in smaller, plainer parts.',
    },
  ]
}
