import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createRunnerPool } from '../../host/isolates/pool/pool.ts'

const minutes = Number(process.env.SOAK_MINUTES ?? 10)
/** The first part fills caches and lets the compilers finish; growth counts from there. */
const settledPart = 0.3
const allowedGrowthMb = 40

/** Random attacks, one after another, from a web process of its own: its memory and the supervisor's stay flat. */
export async function soak(): Promise<void> {
  const pool = await createRunnerPool({ runners: 1, spares: 1, replacements: 2 })
  const web = fork(fileURLToPath(new URL('./fixtures/attacking-web.ts', import.meta.url)), {
    execArgv: ['--no-node-snapshot'],
  })
  pool.attachWeb(web)
  const seen: { at: number; supervisor: number; web: number }[] = []
  const start = performance.now()
  const end = start + minutes * 60_000
  try {
    while (performance.now() < end) {
      web.send('attack')
      const [victim] = await once(web, 'message')
      assert.equal(victim, '1', 'the victim answers between two attacks')
      seen.push({ at: performance.now() - start, supervisor: rssMb('self'), web: rssMb(String(web.pid)) })
    }
  } finally {
    web.kill('SIGKILL')
    await pool.close()
  }
  for (const side of ['supervisor', 'web'] as const) {
    const settled = seen.filter(({ at }) => at > minutes * 60_000 * settledPart).map((one) => one[side])
    const third = Math.ceil(settled.length / 3)
    const growth = median(settled.slice(-third)) - median(settled.slice(0, third))
    console.log(
      `${side}: ${median(settled).toFixed(0)} MB, ${growth.toFixed(1)} MB more at the end, ${seen.length} attacks`,
    )
    assert.ok(growth < allowedGrowthMb, `${side} grew by ${growth} MB`)
  }
}

const rssMb = (process: string) => Number(readFileSync(`/proc/${process}/statm`, 'latin1').split(' ')[1]) / 256
const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
