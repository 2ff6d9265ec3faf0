import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What `partner test-host` prints when everything serves: one line of JSON. */
export type TestHostReady = {
  url: string
  slug: string
  /** Id of the school. */
  tenant: string
  /** By user name. */
  users: Record<string, { username: string; password: string }>
  token: string
}

/** Starts `partner test-host` on a module's folder. It lives until its standard input closes. */
export async function startTestHost(
  module: string | URL,
): Promise<{ ready: TestHostReady; stop: () => Promise<void> }> {
  const folder = module instanceof URL ? fileURLToPath(module) : module
  const [program, ...args] = partnerCommand()
  const child = spawn(program!, [...args, 'test-host', folder], { stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-4_000)
  })
  const stop = async () => {
    child.stdin.end()
    await exited
  }
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([
    once(lines, 'line'),
    once(child, 'error').then(([error]) => Promise.reject(error)),
    exited,
  ])
  if (!Array.isArray(first)) throw new Error(`the test host did not start:\n${complaints}`)
  return { ready: JSON.parse(first[0] as string) as TestHostReady, stop }
}

/** The command line: the repository's own where the SDK lies in it, else `partner` of the search path, as npm sets it. */
function partnerCommand(): string[] {
  const own = fileURLToPath(new URL('../../../host/launch.mjs', import.meta.url))
  return existsSync(own) ? [process.execPath, own] : ['partner']
}
