/** SQL written in the portal: a migration file like those of the folder, which comes with the app's next release. */
import { createHash } from 'node:crypto'
import type { MigrationFile } from './folder.ts'
import type { MigrationPlan, PlanOptions } from './plan.ts'
import { planMigration } from './plan.ts'
import { decodeText } from './text.ts'

/** `file` may be kept as a draft when `plan.ok`; the findings say what to mend, or what the review will see. */
export type SqlDraft = { readonly file: MigrationFile; readonly plan: MigrationPlan }

export type DraftOptions = Omit<PlanOptions, 'schema' | 'runSchema' | 'runtimeRole'> & {
  readonly now: Date
  /** Every version that is applied or waits as a draft: the new one is later than all of them. */
  readonly versions: readonly string[]
}

const name = 'direct_sql'

/** Guards, labels and lints the text as the import will, and gives it the version of this second or a later one. */
export async function draftFromSql(slug: string, sql: string, options: DraftOptions): Promise<SqlDraft> {
  const version = laterThan(options.versions, options.now)
  const bytes = Buffer.from(sql)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  const file: MigrationFile = { version, name, file: `${version}_${name}.sql`, kind: 'sql', checksum, text: sql }
  const plan = await planMigration(file, { ...options, schema: `m_${slug}`, runtimeRole: `m_${slug}_rt` })
  const decoded = decodeText(bytes)
  if (decoded.ok) return { file, plan }
  const fault = { ...decoded.fault, severity: 'error' as const, file: file.file }
  return { file, plan: { ...plan, ok: false, findings: [fault, ...plan.findings] } }
}

function laterThan(versions: readonly string[], now: Date): string {
  const newest = versions.toSorted().at(-1)
  const current = versionAt(now)
  if (newest === undefined || newest < current) return current
  return versionAt(new Date(timeOf(newest).getTime() + 1_000))
}

const versionAt = (time: Date): string =>
  time.toISOString().replace(/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d).*$/, '$1_$2_$3_$4$5$6')

/** A version is any six numbers of that form: hour 99 counts on, so the answer is still later. */
function timeOf(version: string): Date {
  const [year = 0, month = 0, day = 0, time = 0] = version.split('_').map(Number)
  return new Date(Date.UTC(year, month - 1, day, Math.trunc(time / 10_000), Math.trunc(time / 100) % 100, time % 100))
}
