import { join } from 'node:path'
import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import type { CoreReference } from '../../policy/migrations/core-references.ts'
import type { MigrationFolder } from '../../policy/migrations/folder.ts'
import type { PlanOptions } from '../../policy/migrations/plan.ts'
import { BundleError } from '../bundling/bundle-error.ts'
import { coreTables } from './core-tables.ts'
import type { PlanRequest } from './messages.ts'

/** What an earlier migration left behind, followed up to `next`. */
type Followed = { columns: PlanOptions['columns']; coreReferences: readonly CoreReference[]; next: number }

export type Jobs = Record<string, (argument: never) => Promise<unknown>>

/**
 * What a builder does with one module's folder. Libraries are loaded at their first use: a job that only plans loads no
 * TypeScript parser.
 */
export function createJobs(folder: string): Jobs {
  let reading: Promise<MigrationFolder> | undefined
  const followed = new Map<string, Followed>()
  const migrations = async () => {
    const { readMigrationFolder } = await import('../../policy/migrations/folder.ts')
    reading ??= readMigrationFolder(join(folder, 'migrations'))
    return reading
  }

  return {
    migrations,

    /** Loads what bundling needs, before there is anything to bundle. */
    async warm() {
      const { transform } = await import('esbuild')
      await Promise.all([import('../bundling/bundle.ts'), transform('')])
      return {}
    },

    async scan() {
      const { scan } = await import('../../policy/scan/scan.ts')
      const facts = operations.map(({ name, scope }) => ({ name, scope }))
      const { findings, scopes } = await scan(folder, { catalog: scopeCatalog, operations: facts })
      return { findings, scopes }
    },

    async manifest(json: unknown) {
      const { checkManifest } = await import('../../policy/manifest/check.ts')
      return checkManifest(json, { scopeCatalog })
    },

    async bundle() {
      const { bundleModule } = await import('../bundling/bundle.ts')
      try {
        return { bundle: await bundleModule(folder) }
      } catch (error) {
        if (!(error instanceof BundleError)) throw error
        return { findings: error.findings.map((finding) => ({ ...finding, rule: error.code })) }
      }
    },

    /** Conditions of PHP are answered from what the migrations before it made: they are followed once for each schema. */
    async plan({ version, target }: PlanRequest) {
      const { planMigration } = await import('../../policy/migrations/plan.ts')
      const { migrations: files } = await migrations()
      const options = { ...target, coreTables }
      const asking = files.findIndex((file) => file.version === version)
      const known = followed.get(target.runSchema)
      const state: Followed =
        known && known.next <= asking ? known : { columns: new Map(), coreReferences: [], next: 0 }
      followed.set(target.runSchema, state)
      for (; state.next < files.length; state.next++) {
        const file = files[state.next]!
        const asked = file.version === version
        const knownTables = new Set(asked ? target.knownTables : [])
        const plan = await planMigration(file, { ...options, ...state, knownTables })
        state.columns = plan.columns
        state.coreReferences = [...state.coreReferences, ...plan.coreReferences]
        if (!asked) continue
        state.next++
        const { ok, statements, findings, reverse } = plan
        return { ok, statements, findings, ...(reverse ? { reverse } : {}) }
      }
      throw new Error(`no migration ${version}`)
    },
  }
}
