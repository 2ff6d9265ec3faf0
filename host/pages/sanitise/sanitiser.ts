import { ServiceError } from '../../../partner-services/service/errors.ts'
import { findCpuGroups } from '../../processes/cpu-groups.ts'
import { type Cleaner, startCleaner } from './cleaner.ts'
import { createFairQueue } from './fair-queue.ts'
import type { CleanHtml, SanitiseJob } from './main.ts'
import { refuseLarge } from './size.ts'

const tooMany = () => new ServiceError('unavailable', { retryAfter: 1 })

export type Sanitiser = {
  /**
   * Safe HTML of a module's page. Throws HtmlRefused where the page is too large, too deep or takes too long, and
   * `unavailable` where too many pages wait, of this school or of all, or this one waited for five seconds.
   */
  clean(tenantId: string, job: SanitiseJob): Promise<CleanHtml>
  close(): Promise<void>
}

type Waiting = { job: SanitiseJob; resolve: (clean: CleanHtml) => void; reject: (error: unknown) => void }

/**
 * Sanitises away from the event loop, one page at a time, in a process that gives way to the API and is ended when a page
 * takes too long. With the first page a spare is warmed.
 */
export function createSanitiser(): Sanitiser {
  const groups = findCpuGroups({ platform: process.platform, procPath: '/proc' })
  const start = () => startCleaner(typeof groups === 'string' ? undefined : groups)
  const queue = createFairQueue<Waiting>({
    sizeOf: ({ job }) => job.html.length,
    late: ({ reject }) => reject(tooMany()),
  })
  const spares: Cleaner[] = []
  let cleaner = start()
  let busy = false
  let closed = false

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    while (!closed) {
      const next = queue.take()
      if (!next) break
      if (cleaner.isSpent()) replace()
      if (spares.length === 0) spares.push(start())
      await cleaner.clean(next.job).then(next.resolve, next.reject)
      if (cleaner.isSpent() && !closed) replace()
    }
    busy = false
  }

  function replace(): void {
    void cleaner.end()
    cleaner = spares.shift() ?? start()
  }

  return {
    async clean(tenantId, job) {
      refuseLarge(job.html)
      return new Promise((resolve, reject) => {
        if (!queue.add(tenantId, { job, resolve, reject })) reject(tooMany())
        else void work()
      })
    },
    async close() {
      closed = true
      await Promise.all([cleaner, ...spares].map((one) => one.end()))
      for (let left = queue.take(); left; left = queue.take()) left.reject(new ServiceError('unavailable'))
    },
  }
}
