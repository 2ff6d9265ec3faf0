import { createHash } from 'node:crypto'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { type ImportOptions, importMigrations } from '../../../host/publishing/migrations/import.ts'
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

type Options = Partial<ImportOptions<MigrationFile>>

let modules = 0
/** A new module, and a function that imports files into it. */
export async function newModule(server: TestServer, tenants: ImportOptions<MigrationFile>['tenants']) {
  const slug = `module${modules++}`
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  const bring = (files: MigrationFile[], options: Options = {}) =>
    importMigrations({ ...importTarget(server, slug), files, plan, release: '1.0.0', tenants, ...options })
  return { slug, bring }
}
