import { runScan } from '../../policy/scan/command.ts'
import { policyFacts } from '../policy/facts.ts'

/** The same verdicts here, on commit and at publish. */
export async function scan(dir: string, options: { format?: string; changed?: string; json?: boolean }): Promise<void> {
  const { changed, json, format = json ? 'json' : 'text' } = options
  process.exitCode = await runScan(
    { dir, format, ...policyFacts(), ...(changed === undefined ? {} : { changed }) },
    { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) },
  )
}
