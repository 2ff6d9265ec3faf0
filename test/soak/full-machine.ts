import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** For each core so many. Loops that never rest are no substitute: a slice is cut short where a machine becomes free. */
const burstsPerCore = 3
/** Burns up to 0.8 s, rests up to 0.4 s, until it is killed or its parent has gone. */
const burst = `
  setInterval(() => process.ppid === ${process.pid} || process.exit(), 100)
  const rest = () => {
    for (const end = Date.now() + Math.random() * 800; Date.now() < end; );
    setTimeout(rest, Math.random() * 400)
  }
  rest()`
const runTests = fileURLToPath(new URL('../run.ts', import.meta.url))

/**
 * The whole suite on a machine that is full, now more and now less: a test that waits for luck fails here first, and so does
 * what gives up an honest call too early. `SOAK_TESTS` names other test files. Takes two to three times as long.
 */
export async function run(): Promise<void> {
  const bursts = Array.from({ length: burstsPerCore * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', burst], { stdio: 'ignore', env: {} }),
  )
  try {
    const files = process.env.SOAK_TESTS?.split(' ') ?? []
    const tests = spawn(process.execPath, [...process.execArgv, runTests, ...files], { stdio: 'inherit' })
    const [code] = await once(tests, 'exit')
    if (code !== 0) throw new Error(`the suite ended with ${code}`)
  } finally {
    for (const one of bursts) one.kill('SIGKILL')
  }
}
