import { type ChildProcess, spawn } from 'node:child_process'
import { startSandbox } from '../../isolates/support.ts'
import type { BenchLine } from '../bench-line.ts'
import { line } from './support.ts'

/**
 * Some 50 to 150 ms of CPU time in one go, a fifth to three fifths of a slice; under two busy neighbours it takes ten times
 * as long on the clock where runners are merely nice.
 */
const work = `(entry, input) => {
  let length = 0
  for (let round = 0; round < input; round++) {
    const rows = Array.from({ length: 2e4 }, (_, id) => ({ id, name: 'Student ' + (id * 7919) % 20011 }))
    rows.sort((a, b) => (a.name < b.name ? -1 : 1))
    length += JSON.parse(JSON.stringify(rows)).length
  }
  return length
}`

/** Shares of honest calls under two neighbours of ordinary priority that burn the CPU. */
type HonestCalls = {
  /** No answer at all. */
  lost: number
  /** Cut short at the first try; a call that wrote nothing is then tried again. */
  cutShort: number
}

async function honestCalls(calls: number): Promise<HonestCalls> {
  const neighbours: ChildProcess[] = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const sandbox = await startSandbox({}, { runners: 1, spares: 1 })
  try {
    let lost = 0
    let cutShort = 0
    for (let i = 0; i < calls; i++) {
      const { retried } = sandbox.client.stats()
      const answer = await sandbox.run('honest', work, { input: String(1 + (i % 3)) })
      if (!answer.ok) lost++
      if (sandbox.client.stats().retried > retried) cutShort++
    }
    return { lost: lost / calls, cutShort: cutShort / calls }
  } finally {
    for (const neighbour of neighbours) neighbour.kill('SIGKILL')
    await sandbox.close()
  }
}

export async function honestCallLines(calls: number): Promise<BenchLine[]> {
  const { lost, cutShort } = await honestCalls(calls)
  const of = `of ${calls} honest calls under two busy neighbours`
  return [
    line(`${of}, lost / 0.1 %`, lost, 0.001, 1, 'share'),
    line(`${of}, cut short at the first try / 5 %`, cutShort, 0.05, 1, 'share'),
  ]
}
