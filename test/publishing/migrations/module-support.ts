import pg from 'pg'
import type { Builder } from '../../../host/builder/builder.ts'
import { dropModule } from '../../../host/module-database/provision.ts'
import { importModuleMigrations } from '../../../host/publishing/migrations/module-migrations.ts'
import type { PublisherContext } from '../../../host/publishing/publisher-context.ts'
import { createAppLock } from '../../../host/publishing/app-lock.ts'
import { publisherKeys, webKeys } from '../../../host/security/keys.ts'
import type { KnownSchema } from '../../../policy/migrations/known-schema.ts'
import type { MigrationFile } from '../../../policy/migrations/folder.ts'
import { testHostKey } from '../../support/cluster.ts'
import { createTestDatabase } from '../../support/database.ts'
import { plan } from './support.ts'

type Run = { id: string; known?: KnownSchema }
type Asked = { version: string; run: Run; target: { knownTables: string[] } }

/** What a builder answers of these files, in this process. */
function builderOf(files: MigrationFile[]): Builder {
  const known = new Map<string, KnownSchema>()
  const ask = async (method: string, asked: Asked) => {
    if (method === 'migrations') return { migrations: files, findings: [] }
    const { version, run, target } = asked
    if (run.known) known.set(run.id, run.known)
    const file = files.find((one) => one.version === version)!
    const { knownTables, ...rest } = target
    return plan(file, { ...rest, known: known.get(run.id)!, knownTables: new Set(knownTables) } as never)
  }
  return { ask } as unknown as Builder
}

/** A database with apps, and what publishing uses of the publisher's context. */
export async function startPublisher() {
  const database = await createTestDatabase()
  const { superuser, connection, admin } = database
  const provisioning = new pg.Pool({ ...superuser, max: 2 })
  const system = new pg.Pool({ ...connection.system, max: 2 })
  const used = {
    ...{ provisioning, system, suffix: connection.suffix, credential: superuser, database: superuser.database },
    keys: { ...webKeys(testHostKey), ...publisherKeys(testHostKey) },
    withAppLock: createAppLock(superuser),
    settings: { WEB_PROCESSES: 1 },
    clock: () => new Date(),
  }
  const context = used as unknown as PublisherContext
  const slugs = new Set<string>()
  return {
    admin,
    context,
    /** Applies the files as the publishing of a version does. */
    bring(slug: string, release: string, files: MigrationFile[]) {
      slugs.add(slug)
      return importModuleMigrations(context, { slug, release, builder: builderOf(files), kinds: ['sandbox', 'live'] })
    },
    async stop() {
      const client = await provisioning.connect()
      for (const slug of slugs) await dropModule(client, { slug, suffix: connection.suffix })
      client.release()
      await Promise.all([provisioning.end(), system.end()])
      await database.drop()
    },
  }
}
