import { ServiceError } from '../../../partner-services/service/errors.ts'
import { startProcess } from '../../processes/child-process.ts'
import type { MakeCpuGroup } from '../../processes/cpu-groups.ts'
import { openProcessStat } from '../../processes/process-stat.ts'
import { setNiceness } from '../../processes/rank.ts'
import { createStanding } from '../../processes/standing.ts'
import { cleaningLimits, heapMb } from './limits.ts'
import type { CleanHtml, SanitiseJob, SanitiseResult } from './main.ts'
import { HtmlRefused } from './refused.ts'

export type Cleaner = {
  pid: number
  /**
   * Throws HtmlRefused; `isSpent` then says whether the process is worth keeping. `unavailable` where it does not start, or
   * takes too long to.
   */
  clean(job: SanitiseJob): Promise<CleanHtml>
  isSpent(): boolean
  end(): Promise<void>
}

/** Each look costs the web process 0.2 ms; an honest page is done before the first. */
const lookMs = 30
/** What a page throws away is collected on the thread that its time is counted on. */
const flags = ['--single-threaded-gc', `--max-old-space-size=${heapMb}`]

/**
 * A process that cleans one page at a time. It is judged by the CPU time it used, so that a busy machine makes no honest page
 * look slow. It starts at low priority while no page waits for it; then it has the CPU while nobody else wants it, where
 * there are control groups, and more in a hurry.
 */
export function startCleaner(makeGroup: MakeCpuGroup | undefined, limits = cleaningLimits): Cleaner {
  const { rpc, process: child } = startProcess(new URL('./main.ts', import.meta.url), {}, flags)
  child.unref()
  child.channel?.unref()
  const pid = child.pid ?? -1
  setNiceness(pid)
  const stat = openProcessStat(pid, '/proc')
  let group: ReturnType<MakeCpuGroup>
  let spent = false
  const gone = new Promise<void>((resolve) => {
    child.on('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    spent = true
    stat.close()
    group?.remove()
  })
  const standing = createStanding((rank) => (group ? group.rank(rank) : setNiceness(pid, rank)))
  const look = () => {
    const seen = stat.read()
    // A page is a guest's work: on a full machine it gets the share of a guest that burns.
    if (seen) standing.seen(seen, true)
    return seen?.cpuMs ?? 0
  }
  let started = false
  const ready = rpc.call<void>('start').then(
    () => {
      started = true
      setNiceness(pid)
      // Its start is the platform's own work, of low priority: in a group of its own it would not be low.
      group = spent ? undefined : makeGroup?.(pid)
      look()
    },
    () => gone,
  )
  const overdue = new Promise<never>((_, reject) => {
    const late = () => reject(new ServiceError('unavailable', { retryAfter: 1 }))
    setTimeout(late, limits.startMs).unref()
  })
  overdue.catch(() => {})

  /** Resolves when the process has worked or been waited for too long. */
  function watch(): { late: Promise<void>; forget(): void } {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const began = performance.now()
    const before = stat.read()?.cpuMs ?? 0
    const looking = setInterval(() => {
      const waited = performance.now() - began
      if (look() - before >= limits.workMs || waited >= limits.clockMs) resolve()
      else if (waited >= limits.hurryMs) standing.hurry(true)
    }, lookMs)
    const forget = () => {
      clearInterval(looking)
      standing.hurry(false)
    }
    return { late, forget }
  }

  return {
    pid,
    async clean(job) {
      if (!started) setNiceness(pid, 'ordinary')
      await Promise.race([ready, overdue])
      const refuse = (reason: string): HtmlRefused => {
        spent = true
        return new HtmlRefused(reason)
      }
      // It ended before it had seen a page: no page is to blame.
      if (!started) throw new ServiceError('unavailable', { retryAfter: 1 })
      if (spent) throw refuse('HTML could not be read')
      const limit = watch()
      try {
        const first = await Promise.race([
          rpc.call<SanitiseResult>('clean', job).catch(() => 'gone' as const),
          limit.late.then(() => 'late' as const),
        ])
        if (first === 'late') throw refuse(`HTML took longer than ${limits.workMs} ms`)
        if (first === 'gone') throw refuse('HTML could not be read')
        if ('refused' in first) throw new HtmlRefused(first.refused)
        return first
      } finally {
        limit.forget()
      }
    },
    isSpent: () => spent,
    end() {
      child.kill('SIGKILL')
      return gone
    },
  }
}
