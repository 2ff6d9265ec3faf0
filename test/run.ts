import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parserOptions } from '../policy/sql/engine-options.ts'
import { loadingFlags } from '../host/processes/loading-flags.ts'
import { clusterEnvironment, startCluster } from './support/cluster.ts'
import { findLeaks } from './support/log-secrets.ts'
import { folderInMemory } from './support/memory.ts'
import { makeReadyFolder } from './support/ready-folder.ts'
import { logEnvironment } from './support/run-logs.ts'

/**
 * `npm test [files…]`: every test file over one throw-away PostgreSQL. Ends with the runner's own count. A secret in any
 * line that anything logged meanwhile fails the run.
 */
const patterns = process.argv.slice(2)
const files = globSync(patterns.length > 0 ? patterns : ['test/**/*.test.ts', 'modules/*/test/**/*.test.ts']).sort()
if (files.length === 0) {
  console.error('no test file matches')
  process.exit(1)
}
for (const [tool, file, what] of [
  ['chromium', '/usr/bin/chromium', 'pages in a browser'],
  ['poppler-utils', '/usr/bin/pdftotext', 'text of PDFs'],
] as const) {
  if (!existsSync(file)) console.log(`${tool} is not installed: tests of ${what} are skipped`)
}
// On the disk: they are kept where a secret stands in one.
const logs = mkdtempSync(join(tmpdir(), 'partner-test-logs-'))
const memory = folderInMemory()
if (memory) process.env.TMPDIR = memory
// A third of their time tests wait for processes they start, and some for a clock: two more than there are cores fill it.
const filesAtOnce = 2 + availableParallelism()
const ready = await makeReadyFolder()
const cluster = await startCluster(filesAtOnce)
const reporter = (name: string, destination: string) => [
  `--test-reporter=${name}`,
  `--test-reporter-destination=${destination}`,
]
const child = spawn(
  process.execPath,
  [
    // As the processes of a host that do what tests do, but shorter.
    ...parserOptions,
    ...loadingFlags,
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-concurrency=${filesAtOnce}`,
    '--test-timeout=240000',
    ...reporter('spec', 'stdout'),
    ...reporter(fileURLToPath(new URL('./support/output-reporter.ts', import.meta.url)), join(logs, 'output.log')),
    ...files,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...ready.environment,
      ...clusterEnvironment(cluster),
      ...logEnvironment(logs),
      ALLOW_LOOPBACK_CALLBACKS: 'true',
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((done) => child.once('exit', (status) => done(status ?? 1)))
await cluster.stop()
ready.remove()
if (memory) rmSync(memory, { recursive: true, force: true })
const leaks = await findLeaks(logs)
if (leaks.length === 0) rmSync(logs, { recursive: true, force: true })
else console.error(`secrets in the logs that are kept in ${logs}:`)
for (const { file, line, kind, begins } of leaks) console.error(`${file}:${line}: ${kind} in a log (${begins}…)`)
process.exit(leaks.length > 0 ? 1 : code)
