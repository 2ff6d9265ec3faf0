import { openProcessStat } from '../processes/process-stat.ts'

/** In milliseconds: what a web process may use of the CPU while it owes its supervisor an answer, and how often it is asked. */
const defaults = { mostMs: 20_000, askedEveryMs: 2_000 }

/**
 * Watches a web process and calls `stuck` once its first thread, which serves, has run that long without answering. Never
 * by the clock: a machine that stood still, or that gives its CPU to others, blames nobody. Without `/proc` none is judged.
 * Answers with the way to end it.
 */
export function watchWebProcess(
  pid: number,
  ask: () => Promise<unknown>,
  stuck: () => void,
  { mostMs, askedEveryMs } = defaults,
): () => void {
  const stat = openProcessStat(pid, '/proc')
  let askedAtMs: number | undefined
  const answered = () => {
    askedAtMs = undefined
  }
  const timer = setInterval(() => {
    const seen = stat.read()
    if (seen === undefined) return
    const ranMs = seen.ranNs / 1e6
    if (askedAtMs === undefined) {
      askedAtMs = ranMs
      ask().then(answered, answered)
    } else if (ranMs - askedAtMs >= mostMs) {
      end()
      stuck()
    }
  }, askedEveryMs)
  const end = () => {
    clearInterval(timer)
    stat.close()
  }
  return end
}
