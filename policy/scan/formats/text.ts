import type { ScanReport } from '../../finding.ts'

/** For people: one line a finding, in the form editors and terminals turn into links. */
export function formatText(report: ScanReport): string {
  const lines = report.findings.flatMap((finding) => {
    const head = `${finding.file}:${finding.line}:${finding.column} ${finding.severity} ${finding.rule}  ${printable(finding.message)}`
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

/** Messages quote strangers' source: no control character of it may reach a terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�')
}
