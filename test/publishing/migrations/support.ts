import { createHash } from 'node:crypto'
import type { ImportTarget } from '../../../host/publishing/migrations/migration-types.ts'
import { createMigrationPlanner } from '../../../host/publishing/migrations/planner.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { secrets, type TestServer } from '../../module-database/support.ts'

/** The n-th migration of a module. */
export function migration(number: number, text: string, kind: 'sql' | 'php' = 'sql'): MigrationFile {
  const version = `2026_01_01_${String(number).padStart(6, '0')}`
  const checksum = createHash('sha256').update(text).digest('hex')
  return { version, name: 'step', file: `${version}_step.${kind}`, kind, checksum, text }
}

export const plan = createMigrationPlanner(new Set(['students']))

export const importTarget = (server: TestServer, slug: string): ImportTarget => ({
  ...secrets,
  slug,
  suffix: '',
  superuser: server.provisioning,
})
