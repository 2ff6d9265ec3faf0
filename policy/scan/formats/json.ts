import type { ScanReport } from '../../finding.ts'

/** For scripts: the report as it is. */
export function formatJson(report: ScanReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
