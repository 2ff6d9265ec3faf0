import { startSandbox } from '../../isolates/support.ts'
import { alternate, type BenchLine, line } from './support.ts'

const rows = Array.from({ length: 9_000 }, (_, id) => ({
  id,
  name: `Student ${id}`,
  email: `student-${id}@example.org`,
  grade: id % 13,
  section: 'b',
  active: true,
}))
const repeats = 20

/** CPU time this thread spends, in ms for each repetition. */
async function cpuMs(operation: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  for (let i = 0; i < repeats; i++) await operation()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 / repeats
}

/** What a module's answer of one megabyte costs the web process, which never parses it, against writing and reading it. */
export async function run(): Promise<BenchLine[]> {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const text = JSON.stringify(rows)
  const handle = 'async (entry, input, call) => (globalThis.rows ??= await call("rows"), globalThis.rows)'
  try {
    const took = await alternate(5, {
      ours: () =>
        cpuMs(async () => {
          const answer = await sandbox.run('megabyte', handle, { serve: async () => text })
          if (!answer.ok || answer.value.length !== text.length) throw new Error('another answer')
        }),
      peer: () => cpuMs(() => JSON.parse(JSON.stringify(rows))),
    })
    return [
      line(
        'one megabyte passed through, CPU of the web process / stringify and parse',
        took.ours,
        took.peer,
        0.1,
        'ms',
      ),
    ]
  } finally {
    await sandbox.close()
  }
}
