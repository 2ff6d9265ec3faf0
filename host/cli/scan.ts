import { operations } from '../../partner-services/registry.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { runScan } from '../../policy/scan/command.ts'

/** The same verdicts here, on commit and at publish. */
export async function scan(dir: string, options: { format?: string; changed?: string; json?: boolean }): Promise<void> {
  const { changed, json, format = json ? 'json' : 'text' } = options
  const facts = operations.map(({ name, scope }) => ({ name, scope }))
  process.exitCode = await runScan(
    { dir, format, catalog: scopeCatalog, operations: facts, ...(changed === undefined ? {} : { changed }) },
    { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) },
  )
}
