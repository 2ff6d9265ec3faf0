import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended } from '../host/started-host.ts'

export const checkout = fileURLToPath(new URL('../../', import.meta.url))
export const launcher = join(checkout, 'host/launch.mjs')
export const compiler = join(dirname(createRequire(import.meta.url).resolve('tsnative/package.json')), 'bin/tsc')

/** Of npm: an install that reaches no registry. */
export const install = (home: string) => [
  ...['install', '--offline', '--ignore-scripts', '--no-audit', '--cache', join(home, 'npm-cache')],
]

/** Runs programs with nothing of this run's settings: of the author's own, or of the npm that runs the tests. */
export function authorsMachine(home: string) {
  const run = (cwd: string, program: string, args: string[], path = process.env.PATH ?? ''): Promise<Ended> => {
    const child = spawn(program, args, { cwd, env: { PATH: path, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text) => (stdout += text))
    child.stderr.on('data', (text) => (stderr += text))
    return new Promise((done, fail) =>
      child.once('error', fail).once('close', (code) => done({ code, stdout, stderr })),
    )
  }
  return async (...command: Parameters<typeof run>): Promise<Ended> => {
    const ended = await run(...command)
    assert.equal(ended.code, 0, ended.stdout + ended.stderr)
    return ended
  }
}
