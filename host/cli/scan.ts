import { runScan } from '../../policy/scan/command.ts'
import { policyFacts } from '../policy/facts.ts'

/** The same verdicts here, on commit and at publish. */
export async function scan(dir: string, options: { format?: string; changed?: string; json?: boolean }): Promise<void> {
  const { changed, json, format = json ? 'json' : 'text' } = options
  process.exitCode = await runScan(
    {
      dir,
      format,
      ...policyFacts(),
      allowLoopback: await allowsLoopback(),
      ...(changed === undefined ? {} : { changed }),
    },
    { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) },
  )
  // Threads take longer to end than to be left.
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

/** As a host would say that is started with the same setting. */
async function allowsLoopback(): Promise<boolean> {
  if (process.env.ALLOW_LOOPBACK_CALLBACKS === undefined) return false
  const { readSettings } = await import('../config.ts')
  return readSettings(process.env).ALLOW_LOOPBACK_CALLBACKS
}
