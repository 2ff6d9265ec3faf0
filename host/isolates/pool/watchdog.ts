import type { Limits } from '../limits.ts'
import type { ProcessStat } from '../../processes/process-stat.ts'

export const watchdogTickMs = 20
/** A runner that used no CPU is asked this often all the same: it might be blocked without using any. */
const idlePingTicks = 50
/** Half a second without an answer on a machine that gives a runner no CPU: then it gets its turn, to answer or to be judged. */
const hastenTicks = 25

export type Verdict = 'cpu' | 'silence' | 'memory'

/**
 * Judges one runner by CPU time, never by wall time alone: on a busy machine a healthy runner may wait for its turn, but it
 * then uses no CPU. Silence counts in ticks of this process, so that a supervisor that was itself held up blames nobody.
 */
export function createWatchdog(
  limits: Pick<Limits, 'unresponsiveCpuMs' | 'silenceMs' | 'runnerRssMb' | 'runnerGrowthMb'>,
  look: () => ProcessStat | undefined,
  ping: (number: number) => void,
  /** Gives the runner an ordinary process's priority, or takes it back. */
  hasten: (hurry: boolean) => void,
) {
  let asked = 0
  let answered = 0
  let askedAtCpu = 0
  let answeredAtCpu = 0
  let answeredAtMb: number | undefined
  let silentTicks = 0
  let quietTicks = 0
  let unansweredTicks = 0

  /** However much its isolates hold by and by: one piece of guest code does not take all that is left. */
  const mostMb = (rssMb: number) => {
    answeredAtMb ??= rssMb
    return Math.min(limits.runnerRssMb, answeredAtMb + limits.runnerGrowthMb)
  }

  const owes = () => asked !== answered
  return {
    /** Whether the runner owes an answer. */
    owes,
    pong(number: number) {
      if (number !== asked) return
      answered = number
      if (unansweredTicks >= hastenTicks) hasten(false)
      unansweredTicks = 0
      silentTicks = 0
      quietTicks = 0
      const stat = look()
      answeredAtCpu = stat?.cpuMs ?? 0
      answeredAtMb = stat?.rssMb
    },
    /** Whether a verdict still holds: an answer that was read since takes back what silence said. */
    stands: (verdict: Verdict): boolean => verdict === 'memory' || owes(),
    /** What speaks for killing the runner now, if anything. */
    tick(): Verdict | undefined {
      const stat = look()
      const cpuMs = stat?.cpuMs ?? 0
      if (stat !== undefined && stat.rssMb > mostMb(stat.rssMb)) return 'memory'
      if (owes()) {
        if (++unansweredTicks === hastenTicks) hasten(true)
        if (stat !== undefined && cpuMs - askedAtCpu >= limits.unresponsiveCpuMs) return 'cpu'
        // Runnable but not served: somebody else has the CPU. It is not silent, it waits.
        silentTicks = stat?.runnable ? 0 : silentTicks + 1
        return silentTicks * watchdogTickMs >= limits.silenceMs ? 'silence' : undefined
      }
      quietTicks++
      if (cpuMs === answeredAtCpu && quietTicks < idlePingTicks) return undefined
      asked++
      askedAtCpu = cpuMs
      silentTicks = 0
      ping(asked)
      return undefined
    },
  }
}
