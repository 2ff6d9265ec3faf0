import { readdirSync } from 'node:fs'
import { openProcessStat, type ProcessStat } from '../processes/process-stat.ts'
import { familyOf } from './family.ts'

const lookEvery = 250
/** On a machine that has no time at all for it, a job ends after so many times its limit by the clock. */
const mostStretched = 10

/**
 * Calls `over` once the process and its children had `limitMs`: CPU time of all threads, and time in which none of them wanted
 * any. What they wait for a core counts for nothing: of low priority, they wait most of the time on a busy machine, and no
 * module shall be refused for that. Never before so much by the clock, which counts alone where there is no /proc.
 */
export function startCountdown(pid: number, limitMs: number, over: () => void): () => void {
  const began = performance.now()
  let lookedAt = began
  let seen = threadsOf(pid)
  let had = 0
  const look = () => {
    const now = performance.now()
    const threads = threadsOf(pid)
    let ranMs = 0
    let wanted = false
    for (const [id, { cpuMs, runnable }] of threads) {
      ranMs += Math.max(0, cpuMs - (seen.get(id)?.cpuMs ?? 0))
      wanted ||= runnable
    }
    had += wanted ? ranMs : Math.max(ranMs, now - lookedAt)
    seen = threads
    lookedAt = now
    const took = now - began
    if (took >= limitMs && (had >= limitMs || took >= limitMs * mostStretched)) over()
  }
  const timer = setInterval(look, Math.min(lookEvery, limitMs))
  return () => clearInterval(timer)
}

function threadsOf(root: number): Map<string, ProcessStat> {
  const threads = new Map<string, ProcessStat>()
  for (const pid of familyOf(root)) {
    for (const id of threadIds(pid)) {
      const stat = openProcessStat(Number(id), `/proc/${pid}/task`)
      const seen = stat.read()
      stat.close()
      if (seen) threads.set(id, seen)
    }
  }
  return threads
}

function threadIds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    // It has ended, or there is no such folder here.
    return []
  }
}
