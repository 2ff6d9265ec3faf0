/** Longest line of waiting pages; one school's pages fill half of it at most. */
const places = 64

export type FairQueue<Job> = {
  /** False where the line is full: then the job is not kept. */
  add(tenantId: string, job: Job): boolean
  /** The next job: schools take turns, each school's own pages keep their order. */
  take(): Job | undefined
}

export function createFairQueue<Job>(): FairQueue<Job> {
  /** By school, in the order in which the schools come next. */
  const waiting = new Map<string, Job[]>()
  let length = 0
  return {
    add(tenantId, job) {
      const own = waiting.get(tenantId) ?? []
      if (length >= places || own.length >= places / 2) return false
      own.push(job)
      waiting.set(tenantId, own)
      length++
      return true
    },
    take() {
      for (const [tenantId, [job, ...rest]] of waiting) {
        waiting.delete(tenantId)
        if (rest.length > 0) waiting.set(tenantId, rest)
        length--
        return job
      }
      return undefined
    },
  }
}
