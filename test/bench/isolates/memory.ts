import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../../isolates/support.ts'
import { smallBundle } from './bundles.ts'
import { type BenchLine, median } from '../bench-line.ts'
import { line } from './support.ts'

/** Loaded before anything is measured. */
const first = 10
const isolates = 50
const rounds = 5

/**
 * How long a runner takes to sweep so many that rest, in milliseconds: it looks every two seconds, leaves alone what was used
 * within the last, and sweeps a fifth of the time.
 */
const restMs = (count: number) => 3_500 + 20 * count

/**
 * Resident memory of one idle installation of 59 kB, against an empty isolate with its context, and against bare isolated-vm
 * with the same bundle run in it (1.41 empty isolates). Each side in a process of its own.
 *
 * What loading leaves behind, half-used pages of 256 kB included, is swept by V8's own collector once an isolate rests:
 * 1.49 without, 1.26 with. Tried without effect: `--optimize-for-size`, smaller semi-spaces, `--no-flush-bytecode`, letting go
 * of every handle on the bootstrap, a code cache for the bundle.
 */
export async function run(): Promise<BenchLine[]> {
  const ours: number[] = []
  const empty: number[] = []
  const same: number[] = []
  const bundle = await smallBundle()
  for (let round = 0; round < rounds; round++) {
    ours.push(await loadedMb(bundle))
    empty.push(await bareMb(undefined))
    same.push(await bareMb(bundle.code))
  }
  return [
    line('memory of an idle installation / an empty isolate', median(ours), median(empty), 1.35, 'MB'),
    line('memory of an idle installation / bare isolated-vm, same bundle', median(ours), median(same), 1.1, 'MB'),
  ]
}

const rssMb = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) / 256

const rest = (count: number) => new Promise((done) => setTimeout(done, restMs(count)))

async function loadedMb(bundle: Awaited<ReturnType<typeof smallBundle>>): Promise<number> {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  try {
    const load = async (id: string) => {
      const answer = await sandbox.client.call({
        installation: { id, app: 'memory', version: '1', tenantId: 't' },
        loadBundle: async () => bundle,
        entry: 'route',
        input: 'null',
        serve: async () => 'null',
      })
      if (!answer.ok) throw new Error(answer.error.message)
    }
    const runner = () => Number(sandbox.pool.stats().runners.find(({ role }) => role === 'ordinary')?.pid)
    for (let i = 0; i < first; i++) await load(`first ${i}`)
    await rest(first)
    const before = rssMb(runner())
    for (let i = 0; i < isolates; i++) await load(`installation ${i}`)
    await rest(isolates)
    return (rssMb(runner()) - before) / isolates
  } finally {
    await sandbox.close()
  }
}

async function bareMb(code: string | undefined): Promise<number> {
  const child = fork(fileURLToPath(new URL('./bare/empty-isolates.ts', import.meta.url)), {
    execArgv: ['--no-node-snapshot'],
  })
  const make = async (count: number) => {
    child.send({ count, code })
    await once(child, 'message')
    return rssMb(child.pid!)
  }
  const before = await make(first)
  const after = await make(isolates)
  child.disconnect()
  return (after - before) / isolates
}
