import { execFile, execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { writeTree } from './policy-scan-tree.ts'

const run = promisify(execFile)
const here = import.meta.dirname
const rounds = 3

/** Whole scan against ESLint with the same parser and no rules, each a process of its own; then one changed file. */
const dir = await mkdtemp(path.join(tmpdir(), 'partner-bench-'))
try {
  const lines = await writeTree(dir, 500)
  const cache = path.join(dir, '..', `${path.basename(dir)}-cache`)
  const ours: number[] = []
  const peer: number[] = []
  for (let round = 0; round < rounds; round++) {
    peer.push(await time('policy-scan-peer.ts', [dir], cache))
    ours.push(await time('policy-scan-run.ts', [dir, 'json'], cache))
  }
  print('policy-scan-whole', median(ours) / median(peer), 1.25, median(ours), median(peer), `s, ${lines} lines`)

  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args])
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'tree')
  await time('policy-scan-run.ts', [dir, 'json', 'HEAD'], cache)
  const changed: number[] = []
  for (let round = 0; round < rounds; round++) {
    await appendFile(path.join(dir, 'src/features/clubs7.ts'), `export const round${round} = ${round}\n`)
    changed.push(await time('policy-scan-run.ts', [dir, 'json', 'HEAD'], cache))
  }
  print('policy-scan-changed', median(changed) / 0.5, 1, median(changed), 0.5, 's')
  await rm(cache, { recursive: true, force: true })
} finally {
  await rm(dir, { recursive: true, force: true })
}

async function time(script: string, args: string[], cache: string): Promise<number> {
  const started = performance.now()
  const options = { env: { ...process.env, XDG_CACHE_HOME: cache }, maxBuffer: 64 * 1024 * 1024 }
  await run(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(here, script), ...args], options)
  return (performance.now() - started) / 1000
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function print(name: string, ratio: number, goal: number, ours: number, peer: number, unit: string): void {
  process.stdout.write(`${JSON.stringify({ name, ratio, goal, better: 'lower', ours, peer, unit })}\n`)
}
