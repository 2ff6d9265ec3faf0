/** Characters of all waiting pages; one school's pages fill half of it at most. */
const room = 64 * 262_144
/** A page takes up at least so many: beside its text there is a request that waits. */
const leastSize = 4_096
/** A page that waited so many milliseconds is not cleaned any more: many wait, and it is better told than kept waiting. */
const mostWaitMs = 5_000

export type FairQueue<Job> = {
  /** False where the line is full: then the job is not kept. */
  add(tenantId: string, job: Job): boolean
  /** The next job that did not wait too long: schools take turns, each school's own pages keep their order. */
  take(): Job | undefined
}

type Line<Job> = { jobs: { job: Job; size: number; since: number }[]; size: number }

/** `sizeOf` in characters; `late` is given what waited too long, in its turn; `now` in milliseconds. */
export function createFairQueue<Job>(options: {
  sizeOf: (job: Job) => number
  late: (job: Job) => void
  now?: () => number
}): FairQueue<Job> {
  const { sizeOf, late, now = () => performance.now() } = options
  /** By school, in the order in which the schools come next. */
  const lines = new Map<string, Line<Job>>()
  let taken = 0

  /** The first job of the school whose turn it is; the school then comes last. */
  function next(): { job: Job; since: number } | undefined {
    for (const [tenantId, line] of lines) {
      const first = line.jobs.shift()!
      line.size -= first.size
      taken -= first.size
      lines.delete(tenantId)
      if (line.jobs.length > 0) lines.set(tenantId, line)
      return first
    }
    return undefined
  }

  return {
    add(tenantId, job) {
      const line = lines.get(tenantId) ?? { jobs: [], size: 0 }
      const size = Math.max(leastSize, sizeOf(job))
      if (taken + size > room || line.size + size > room / 2) return false
      line.jobs.push({ job, size, since: now() })
      line.size += size
      taken += size
      lines.set(tenantId, line)
      return true
    },
    take() {
      for (let first = next(); first; first = next()) {
        if (now() - first.since <= mostWaitMs) return first.job
        late(first.job)
      }
      return undefined
    },
  }
}
