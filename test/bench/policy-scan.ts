import { execFile, execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type BenchLine, median } from './bench-line.ts'
import { writeTree } from './policy-scan-tree.ts'

const execute = promisify(execFile)
const launcher = path.resolve(import.meta.dirname, '../../host/launch.mjs')
const peerScript = path.join(import.meta.dirname, 'policy-scan-peer.ts')
const quiet = '--disable-warning=ExperimentalWarning'
const mostRounds = 5
const patienceMs = 45_000

/**
 * `partner scan`, as it is started by hand or by a hook, with whatever Node is first on the path: of the whole folder, against
 * ESLint with the same parser and no rules, each a process of its own; then of one changed file.
 */
export async function run(): Promise<BenchLine[]> {
  const dir = await mkdtemp(path.join(tmpdir(), 'partner-bench-'))
  const cache = `${dir}-cache`
  try {
    const lines = await writeTree(dir, 500)
    const whole = await wholeScan(dir, cache, lines)
    return [whole, await changedFile(dir, cache, 500), await smallModule(cache)]
  } finally {
    for (const folder of [dir, cache]) await rm(folder, { recursive: true, force: true })
  }
}

async function wholeScan(dir: string, cache: string, lines: number): Promise<BenchLine> {
  const ours: number[] = []
  const peer: number[] = []
  await rounds(async () => {
    peer.push(await seconds(process.execPath, [quiet, peerScript, dir], cache))
    ours.push(await scan(dir, cache))
  })
  const ratio = median(ours) / median(peer)
  const unit = `s, ${lines} lines, ${ours.length} rounds, ${load()}`
  return { name: 'policy-scan-whole', ratio, goal: 1.25, better: 'lower', ours: median(ours), peer: median(peer), unit }
}

/** The peer of a changed file is the half second that an author at the keyboard is asked to wait. */
async function changedFile(dir: string, cache: string, files: number): Promise<BenchLine> {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args])
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'tree')
  await scan(dir, cache, '--changed', 'HEAD')
  const changed: number[] = []
  for (let round = 0; round < mostRounds; round++) {
    await appendFile(path.join(dir, 'src/features/clubs7.ts'), `export const round${round} = ${round}\n`)
    changed.push(await scan(dir, cache, '--changed', 'HEAD'))
  }
  const ours = median(changed)
  const name = `policy-scan-changed-of-${files}`
  return { name, ratio: ours / 0.5, goal: 1, better: 'lower', ours, peer: 0.5, unit: `s, ${load()}` }
}

async function smallModule(cache: string): Promise<BenchLine> {
  const dir = await mkdtemp(path.join(tmpdir(), 'partner-bench-'))
  try {
    await writeTree(dir, 30)
    return await changedFile(dir, cache, 30)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Five rounds; on a loaded machine as many as the time allows. */
async function rounds(once: () => Promise<void>): Promise<void> {
  const started = performance.now()
  for (let round = 0; round < mostRounds && performance.now() - started < patienceMs; round++) await once()
}

function scan(dir: string, cache: string, ...options: string[]): Promise<number> {
  return seconds('node', [launcher, 'scan', dir, '--json', ...options], cache)
}

async function seconds(program: string, args: string[], cache: string): Promise<number> {
  const started = performance.now()
  const options = { env: { ...process.env, XDG_CACHE_HOME: cache }, maxBuffer: 64 * 1024 * 1024 }
  await execute(program, args, options)
  return (performance.now() - started) / 1000
}

function load(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`
}
