import { watch } from 'node:fs'
import { printableEntry } from '../../policy/printable.ts'
import { createScanner, type Scanner } from '../../policy/scan/scan.ts'
import { policyFacts } from '../policy/facts.ts'
import { readModuleFiles } from '../publishing/source/package-files.ts'
import type { Tried } from '../publishing/try-in-sandbox.ts'
import { findingLine } from './finding-line.ts'
import { askHost, print, Refused, type RemoteOptions, refusalLines } from './operator-client.ts'

/** An editor writes a file in several steps: they are one save. */
const settleTime = 20
const ignored = /(^|[\\/])(\.|node_modules)/

/** Puts the module into the sandbox at each save, until Ctrl-C. What the policy says of it comes after. */
export async function dev(dir: string, options: RemoteOptions): Promise<void> {
  const scanner = createScanner()
  let timer: NodeJS.Timeout | undefined
  let working = false
  let again = false
  const attempt = () => tryOnce(dir, options, scanner)
  /** A host that starts anew, a file that is gone again: whatever it is, a later save may find it mended. */
  const retried = () => attempt().catch(({ message }: Error) => sayFailure(options, message))
  const save = async (first = retried) => {
    if (working) {
      again = true
      return
    }
    working = true
    for (let run = first; ; run = retried) {
      again = false
      await run()
      if (!again) break
    }
    working = false
  }
  const watcher = watch(dir, { recursive: true }, (_, name) => {
    if (name !== null && ignored.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(() => void save(), settleTime)
  })
  await save(attempt).catch((error) => {
    clearTimeout(timer)
    watcher.close()
    throw error
  })
  await new Promise<void>((done) => process.once('SIGINT', done).once('SIGTERM', done))
  clearTimeout(timer)
  watcher.close()
  // A thread that is starting esbuild may not end for long, and nothing of a scan need be saved.
  process.exit()
}

async function tryOnce(dir: string, options: RemoteOptions, scanner: Scanner): Promise<void> {
  const start = performance.now()
  const passed = () => Math.round(performance.now() - start)
  try {
    const { slug, version, migrations } = await askHost<Tried>(options.url, '/dev', {
      files: await readModuleFiles(dir),
    })
    const page = `${options.url}/m/${slug}`
    say(options, { ok: true, slug, version, migrations, ms: passed() }, [`live in ${passed()} ms: ${page}`])
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const report = { ok: false, message: error.message, ...(error.report as object), ms: passed() }
    say(options, report, refusalLines(error))
    return
  }
  const { findings } = await scanner.scan(dir, policyFacts())
  if (findings.length > 0) say(options, { scan: findings }, findings.map(findingLine))
}

function sayFailure(options: RemoteOptions, message: string): void {
  say(options, { ok: false, message }, [printableEntry(`partner: ${message}`)])
}

function say(options: RemoteOptions, report: object, lines: string[]): void {
  print(options, report, () => lines)
}
