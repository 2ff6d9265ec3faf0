import { ServiceError } from '../../../partner-services/service/errors.ts'
import { createFairQueue } from './fair-queue.ts'
import { canStepBack, keepYoungCollectionsInTheirThread } from './priority.ts'
import { refuseLarge } from './size.ts'
import { startThread, type Thread } from './thread.ts'
import type { SanitiseJob } from './worker.ts'

export type Sanitiser = {
  /**
   * Safe HTML of a module's page. Throws HtmlRefused where the page is too large, too deep or takes too long, and
   * `unavailable` where too many pages wait, of this school or of all.
   */
  clean(tenantId: string, job: SanitiseJob): Promise<string>
  close(): Promise<void>
}

type Waiting = { job: SanitiseJob; resolve: (html: string) => void; reject: (error: unknown) => void }

/**
 * Sanitises away from the event loop, one page at a time, in a thread that gives way to the API and is ended when a page
 * takes too long. With the first page a spare is warmed where threads can be made to give way; elsewhere starting one
 * would cost the API time.
 */
export function createSanitiser(): Sanitiser {
  keepYoungCollectionsInTheirThread()
  const queue = createFairQueue<Waiting>()
  const spares: Thread[] = []
  let thread = startThread()
  let busy = false
  let closed = false

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    while (!closed) {
      const next = queue.take()
      if (!next) break
      if (canStepBack && spares.length === 0) spares.push(startThread())
      await thread.clean(next.job).then(next.resolve, next.reject)
      if (thread.isSpent() && !closed) replace()
    }
    busy = false
  }

  function replace(): void {
    void thread.end()
    thread = spares.shift() ?? startThread()
  }

  return {
    async clean(tenantId, job) {
      refuseLarge(job.html)
      return new Promise((resolve, reject) => {
        if (!queue.add(tenantId, { job, resolve, reject })) reject(new ServiceError('unavailable', { retryAfter: 1 }))
        else void work()
      })
    },
    async close() {
      closed = true
      await Promise.all([thread, ...spares].map((one) => one.end()))
      for (let left = queue.take(); left; left = queue.take()) left.reject(new ServiceError('unavailable'))
    },
  }
}
