/** An importer in a process of its own, to be killed: says each migration that it has applied. */
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import type { ImportTarget } from '../../../host/publishing/migrations/migration-types.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { tenantA } from '../../module-database/support.ts'
import { plan } from './support.ts'

export type ImporterStart = {
  slug: string
  superuser: ImportTarget['superuser']
  files: MigrationFile[]
  password: string
  gateSecret: string
}

process.once('message', (message) => {
  const { password, gateSecret, ...start } = message as ImporterStart
  const target = { ...start, suffix: '', passwordOf: () => password, gateSecretOf: () => gateSecret }
  void importMigrations(
    { ...target, plan, release: '1', tenants: async () => ({ sandbox: [], live: [tenantA] }), kinds: ['live'] },
    ({ version }) => process.send?.(version),
  ).then(() => process.disconnect())
})
