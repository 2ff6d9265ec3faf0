import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { copyOf, dataFolder } from '../support/ready-folder.ts'
import { logFile } from '../support/run-logs.ts'
import { readyHost } from './ready-host.ts'

const launcher = fileURLToPath(new URL('../../host/launch.mjs', import.meta.url))

export type Ended = { code: number | null; stdout: string; stderr: string }

export type StartedHost = {
  url: string
  process: ChildProcess
  /** SIGTERM, and the exit code. */
  stop(): Promise<Ended>
  ended: Promise<Ended>
}

export type TemporaryFolder = { path: string; remove(): void }

/** An empty one: a host that is started there makes everything. */
export const temporaryFolder = (): TemporaryFolder => removable(dataFolder('partner-host-'))

/** A data folder for a host whose first start is not what a test is about: one ran there before, with or without the samples. */
export async function hostFolder(args: '--samples' | '--no-samples' = '--no-samples'): Promise<TemporaryFolder> {
  const ready = await readyHost(args)
  return removable(ready ? copyOf(ready, 'partner-host-') : dataFolder('partner-host-'))
}

const removable = (path: string) => ({ path, remove: () => rmSync(path, { recursive: true, force: true }) })

/** Runs `partner …` as a user does, with these settings and no others. `through`: a command that starts it. */
export function runPartner(
  args: string[],
  settings: Record<string, string> = {},
  through: readonly string[] = [],
): { process: ChildProcess; ended: Promise<Ended> } {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  const [program = '', ...rest] = [...through, process.execPath, launcher, ...args]
  const child = spawn(program, rest, {
    env: { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const file = logFile(`${args[0]}-${child.pid}`)
  if (file) child.stderr.pipe(createWriteStream(file))
  return { process: child, ended: new Promise((done) => child.once('close', (code) => done({ code, stdout, stderr }))) }
}

/** As on two cores: a machine with more runs more test files at once, and each may have hosts of its own. */
const fewProcesses = { WEB_PROCESSES: '1', RUNNERS: '1' }

/** A host on a free port, once its ready line is there. */
export async function startHostProcess(
  dataDirectory: string,
  args: string[] = ['--no-samples'],
  settings: Record<string, string> = {},
): Promise<StartedHost> {
  const { process: child, ended } = runPartner(['start', ...args], {
    DATA_DIR: dataDirectory,
    PORT: '0',
    LOG_LEVEL: logFile('host') ? 'trace' : 'error',
    ...fewProcesses,
    ...settings,
  })
  const ready = new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.on('data', (chunk: string) => {
      text += chunk
      const url = /^(?:ready |\{"ready":")(http[^\s"]+)(?:"\})?$/m.exec(text)?.[1]
      if (url) resolve(url)
    })
  })
  const url = await Promise.race([
    ready,
    ended.then(({ code, stderr }) => Promise.reject(new Error(`the host ended with ${code} as it started: ${stderr}`))),
  ])
  return {
    url,
    process: child,
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
