import { createHash } from 'node:crypto'
import type {
  ImportTarget,
  MigrationHead,
  PlannedMigration,
  PlanTarget,
} from '../../../host/publishing/migrations/migration-types.ts'
import { checkSql, loadGuard } from '../../../policy/sql/guard.ts'
import { rewriteMigrationStatement } from '../../../policy/sql/rewrite.ts'
import { secrets, type TestServer } from '../../module-database/support.ts'

export type TestFile = MigrationHead & { text: string }

/** The n-th migration of a module. */
export function migration(number: number, text: string, name = 'step'): TestFile {
  const version = `2026_01_01_${String(number).padStart(6, '0')}`
  return {
    version,
    name,
    file: `${version}_${name}.sql`,
    checksum: createHash('sha256').update(text).digest('hex'),
    text,
  }
}

/** Guard and rewrite, without the labels and the lint. */
export async function plan(file: TestFile, target: PlanTarget): Promise<PlannedMigration> {
  await loadGuard()
  const checked = checkSql(file.text, { profile: 'migration', schema: target.schema, maxBytes: 262_144 })
  const findings = checked.ok
    ? []
    : checked.refusals.map(({ rule, reason, line }) => ({
        rule,
        reason,
        line,
        severity: 'error' as const,
        file: file.file,
      }))
  const statements = checked.statements.flatMap((statement) =>
    rewriteMigrationStatement(statement, target).map((sql) => ({ sql, line: statement.line, class: statement.class })),
  )
  return { ok: checked.ok, statements, findings, tables: new Set() }
}

export const importTarget = (server: TestServer, slug: string): ImportTarget => ({
  ...secrets,
  slug,
  suffix: '',
  superuser: server.provisioning,
})
