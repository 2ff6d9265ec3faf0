import { readdirSync, readFileSync } from 'node:fs'
import { familyOf } from './family.ts'

const lookEvery = 250
/** On a machine that has no time at all for it, a job ends after so many times its limit by the clock. */
const mostStretched = 10

/**
 * Calls `over` once the process and its children had `limitMs` in which none of them waited for a core: of low priority, they
 * wait most of the time on a busy machine, and no module shall be refused for that. Where Linux does not tell, the clock counts.
 */
export function startCountdown(pid: number, limitMs: number, over: () => void): () => void {
  const began = performance.now()
  let seen = waitsOf(pid)
  let waited = 0
  const look = () => {
    const waits = waitsOf(pid)
    // Linux counts a wait once it is over: it may be longer than the time between two looks.
    waited += Math.max(0, ...[...waits].map(([thread, ms]) => ms - (seen.get(thread) ?? 0)))
    seen = waits
    const took = performance.now() - began
    if (took - waited >= limitMs || took >= limitMs * mostStretched) over()
  }
  const timer = setInterval(look, Math.min(lookEvery, limitMs))
  return () => clearInterval(timer)
}

/** Of each thread the milliseconds that it was runnable and did not run, since it began. */
function waitsOf(root: number): Map<string, number> {
  const waits = new Map<string, number>()
  for (const pid of familyOf(root)) {
    try {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [, waitedNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
        waits.set(thread, Number(waitedNs) / 1e6)
      }
    } catch {
      // It has ended, or there is no such file here.
    }
  }
  return waits
}
