import type { MigrationFinding } from '../../policy/migrations/finding.ts'
import type { ReportedFinding } from '../builder/messages.ts'
import { ReportedError } from '../processes/rpc.ts'
import type { MigrationImportError } from './migrations/migration-types.ts'

/** A refusal of the module, with what was found, in the partner's own files and lines. */
export function refused(message: string, findings: readonly ReportedFinding[]): ReportedError {
  return new ReportedError(message, { findings })
}

/** What a refusal says and what was found; whatever else was thrown is thrown again. */
export function refusalOf(error: unknown): { message: string; findings: ReportedFinding[] } {
  if (!(error instanceof ReportedError)) throw error
  const { findings } = error.report as { findings: ReportedFinding[] }
  return { message: error.message, findings }
}

/** One finding about the whole of a file. */
export const fileFinding = (rule: string, file: string, message: string): ReportedFinding => ({
  rule,
  severity: 'error',
  file,
  line: 1,
  message,
})

/** One of the manifest's checks, with its path before the message. */
export const fromManifest = (
  file: string,
  { path, rule, message, mend }: { path: string; rule: string; message: string; mend?: string | undefined },
): ReportedFinding => ({
  ...fileFinding(rule, file, `${path}: ${message}`),
  ...(mend === undefined ? {} : { fix: mend }),
})

export const fromMigration = ({ rule, severity, file, line, reason, mend }: MigrationFinding): ReportedFinding => ({
  rule,
  severity,
  file: `migrations/${file}`,
  line,
  message: reason,
  ...(mend === undefined ? {} : { fix: mend }),
})

/** All that is known of why an import, or its rehearsal, stopped. */
export function fromImport({ code, file, line, findings, message }: MigrationImportError): ReportedFinding[] {
  if (findings.length > 0) return findings.map(fromMigration)
  return [{ ...fileFinding(code, `migrations/${file}`, message), line: line ?? 1 }]
}

export const isError = ({ severity }: ReportedFinding): boolean => severity === 'error'
