import type { ScanReport } from '../../finding.ts'
import { printable } from '../../printable.ts'

/** For people: one line a finding, in the form editors and terminals turn into links. */
export function formatText(report: ScanReport): string {
  const lines = report.findings.flatMap((finding) => {
    const head = `${printable(finding.file)}:${finding.line}:${finding.column} ${finding.severity} ${finding.rule}  ${printable(finding.message)}`
    return finding.fix ? [head, `    mend: ${printable(finding.fix)}`] : [head]
  })
  const errors = report.findings.filter((finding) => finding.severity === 'error').length
  const warnings = report.findings.length - errors
  const scopes = report.scopes.used.map((use) => use.scope).join(', ') || 'none'
  return [
    ...lines,
    `${errors} errors, ${warnings} warnings in ${report.files} files (${report.ms} ms). Scopes used: ${scopes}`,
    '',
  ].join('\n')
}
