/** Runs so much work at one time, the rest in its turn: what takes long and many ask for leaves the rest of a pool to others. */
export function atMost(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = count
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** The same, and of each key one at a time: who asks for much waits for it alone, and others come in between. */
export function inTurns(count: number): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const inTurn = atMost(count)
  const lastOf = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const run = () => inTurn(work)
    const before = lastOf.get(key)
    const own = before ? before.then(run, run) : run()
    lastOf.set(key, own)
    try {
      return await own
    } finally {
      if (lastOf.get(key) === own) lastOf.delete(key)
    }
  }
}
