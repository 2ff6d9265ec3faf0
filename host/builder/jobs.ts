import { join } from 'node:path'
import type { MigrationFile, MigrationFolder } from '../../policy/migrations/folder.ts'
import type { KnownSchema } from '../../policy/migrations/known-schema.ts'
import type { Scanner } from '../../policy/scan/scan.ts'
import { BundleError } from '../bundling/bundle-error.ts'
import { policyFacts } from '../policy/facts.ts'
import type { MigrationPlanner } from '../publishing/migrations/migration-types.ts'
import { coreTables } from './core-tables.ts'
import type { HostRules, PlanRequest } from './messages.ts'

/** Where nothing is said, as for sources that are read before the settings are known. */
const strictest: HostRules = { allowLoopback: false }

export type Jobs = Record<string, (argument: never) => Promise<unknown>>

/** One parser for all modules of a builder, loaded at the first scan. */
export function createSharedScanner(): () => Promise<Scanner> {
  let scanner: Promise<Scanner> | undefined
  return () => (scanner ??= import('../../policy/scan/scan.ts').then(({ createScanner }) => createScanner()))
}

/**
 * What a builder does with one module's folder. Libraries are loaded at their first use: a job that only plans loads no
 * TypeScript parser.
 */
export function createJobs(folder: string, scanner: () => Promise<Scanner>): Jobs {
  let reading: Promise<MigrationFolder> | undefined
  const runs = new Map<string, KnownSchema>()
  let planner: MigrationPlanner<MigrationFile> | undefined
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

    async scan({ allowLoopback }: HostRules = strictest) {
      const { scan } = await scanner()
      const { findings, scopes } = await scan(folder, { ...policyFacts(), allowLoopback })
      return { findings, scopes }
    },

    async manifest({ json, allowLoopback }: HostRules & { json: unknown }) {
      const { checkManifest } = await import('../../policy/manifest/check.ts')
      const { catalog, events } = policyFacts()
      return checkManifest(json, { scopeCatalog: catalog, events, allowLoopback })
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

    async plan({ version, run, target }: PlanRequest) {
      const { createMigrationPlanner } = await import('../publishing/migrations/planner.ts')
      planner ??= createMigrationPlanner(coreTables)
      if (run.known) runs.set(run.id, run.known)
      const known = runs.get(run.id)
      const file = (await migrations()).migrations.find((one) => one.version === version)
      if (!known || !file) throw new Error(`no migration ${version} in this run`)
      const plan = await planner(file, { ...target, known, knownTables: new Set(target.knownTables) })
      const { ok, statements, findings, reverse } = plan
      return { ok, statements, findings, ...(reverse ? { reverse } : {}) }
    },
  }
}
