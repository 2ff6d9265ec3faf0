import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
    once(child, 'error').then(([error]) => Promise.reject(whyNotStarted(error))),
    exited,
  ])
  if (!Array.isArray(first)) throw new Error(`the test host did not start:\n${complaints}`)
  return { ready: JSON.parse(first[0] as string) as TestHostReady, stop }
}

/** The command line: the repository's own for the sources in it; for the compiled package `partner` of the search path. */
function partnerCommand(): string[] {
  if (!import.meta.url.endsWith('.ts')) return ['partner']
  return [process.execPath, fileURLToPath(new URL('../../../host/launch.mjs', import.meta.url))]
}

function whyNotStarted(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error
  return new Error(
    "a module's tests start a host, and there is no `partner` on the search path: run `npm link` in a checkout of partner-runtime",
  )
}
