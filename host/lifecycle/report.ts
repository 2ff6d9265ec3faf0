import { ServiceError } from '../../partner-services/service/errors.ts'
import type { ReportedFinding } from '../builder/messages.ts'

/** All that the checks found of one version, for its reviewer and its partner. */
export type ReviewReport = {
  checked_at?: string
  /** Of manifest, code, npm packages and migrations. */
  findings?: ReportedFinding[]
  scopes?: {
    used: { scope: string; uses: { operation: string; file: string; line: number }[] }[]
    declared: string[]
    unused: string[]
    undeclared: string[]
  }
  bundle?: { hash: string; bytes: number; files: string[] }
  migrations?: { file: string; status: 'applied' | 'pending'; statements: number; reverse: string[] }[]
  /** Measured on a copy of the live schema with generated rows; absent where there was nothing to try. */
  rehearsal?: unknown
  /** Of an external app's webhook URL. */
  probe?: WebhookProbe
}

export type WebhookProbe = {
  url: string
  ok: boolean
  status: number | null
  error: string | null
  duration_ms: number
}

export const errorsOf = (report: ReviewReport): ReportedFinding[] => [
  ...(report.findings ?? []).filter(({ severity }) => severity === 'error'),
  ...(report.probe && !report.probe.ok ? [probeFinding(report.probe)] : []),
]

const probeFinding = ({ url, status, error }: WebhookProbe): ReportedFinding => ({
  rule: 'webhook-probe',
  severity: 'error',
  file: 'manifest.json',
  line: 1,
  message: `${url} did not answer a signed ping with 2xx (${status ?? error})`,
  fix: 'Answer every signed POST with 2xx within 10 seconds.',
})

/** A reviewer cannot approve what a check refuses. */
export function requireApprovable(report: ReviewReport): void {
  const errors = errorsOf(report)
  if (errors.length === 0) return
  throw new ServiceError('invalid_data', {
    errors: { report: errors.map(({ file, line, message }) => `${file}:${line} ${message}`) },
  })
}
