import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { clusterEnvironment, startCluster } from './support/cluster.ts'

/** `npm test [files…]`: every test file over one throw-away PostgreSQL. Ends with the runner's own count. */
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
const cluster = await startCluster()
const child = spawn(
  process.execPath,
  [
    '--no-node-snapshot',
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-timeout=240000',
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, ...clusterEnvironment(cluster), ALLOW_LOOPBACK_CALLBACKS: 'true' } },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((done) => child.once('exit', (status) => done(status ?? 1)))
await cluster.stop()
process.exit(code)
