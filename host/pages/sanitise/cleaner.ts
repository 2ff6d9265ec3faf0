import { startProcess } from '../../processes/child-process.ts'
import type { MakeCpuGroup } from '../../processes/cpu-groups.ts'
import { openProcessStat } from '../../processes/process-stat.ts'
import { createStanding } from '../../processes/standing.ts'
import { cleaningLimits, heapMb } from './limits.ts'
import type { SanitiseJob, SanitiseResult } from './main.ts'
import { HtmlRefused } from './refused.ts'

export type Cleaner = {
  pid: number
  /** Throws HtmlRefused; `isSpent` then says whether the process is worth keeping. */
  clean(job: SanitiseJob): Promise<string>
  isSpent(): boolean
  end(): Promise<void>
}

/** Each look costs the web process 0.2 ms; an honest page is done before the first. */
const lookMs = 30
/** What a page throws away is collected on the thread that its time is counted on. */
const flags = ['--single-threaded-gc', `--max-old-space-size=${heapMb}`]

/**
 * A process that cleans one page at a time. It is judged by the CPU time it used, so that a busy machine makes no honest page
 * look slow, and has the CPU while nobody else wants it, where there are control groups.
 */
export function startCleaner(makeGroup: MakeCpuGroup | undefined, { workMs, clockMs } = cleaningLimits): Cleaner {
  const { rpc, process: child } = startProcess(new URL('./main.ts', import.meta.url), {}, flags)
  child.unref()
  child.channel?.unref()
  const pid = child.pid ?? -1
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
  const standing = createStanding((rank) => group?.rank(rank))
  const look = () => {
    const seen = stat.read()
    // A page is a guest's work: on a full machine it gets the share of a guest that burns.
    if (seen) standing.seen(seen, true)
    return seen?.cpuMs ?? 0
  }
  const ready = rpc.call<void>('start').then(
    () => {
      // Its start is the platform's own work, of low priority: in a group of its own it would not be low.
      group = spent ? undefined : makeGroup?.(pid)
      look()
    },
    () => gone,
  )

  /** Resolves when the process has worked or been waited for too long. */
  function watch(): { late: Promise<void>; forget(): void } {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const began = performance.now()
    const before = stat.read()?.cpuMs ?? 0
    const looking = setInterval(() => {
      if (look() - before >= workMs || performance.now() - began >= clockMs) resolve()
    }, lookMs)
    return { late, forget: () => clearInterval(looking) }
  }

  return {
    pid,
    async clean(job) {
      await ready
      const refuse = (reason: string): HtmlRefused => {
        spent = true
        return new HtmlRefused(reason)
      }
      if (spent) throw refuse('HTML could not be read')
      const limit = watch()
      try {
        const first = await Promise.race([
          rpc.call<SanitiseResult>('clean', job).catch(() => 'gone' as const),
          limit.late.then(() => 'late' as const),
        ])
        if (first === 'late') throw refuse(`HTML took longer than ${workMs} ms`)
        if (first === 'gone') throw refuse('HTML could not be read')
        if ('refused' in first) throw new HtmlRefused(first.refused)
        return first.html
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
