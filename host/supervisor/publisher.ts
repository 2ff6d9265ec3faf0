import { ServiceError } from '../../partner-services/service/errors.ts'
import type { RunnerPool } from '../isolates/pool/pool.ts'
import { type ManagedProcess, startProcess } from '../processes/child-process.ts'
import type { Prepared, PublisherStart } from '../publishing/main.ts'

export type Publisher = {
  /** Settles when the database is prepared; rejects when that fails. */
  prepared: Promise<Prepared>
  /** Has the sample modules read while the database is still being made. */
  readSamplesAhead(): void
  /** For the host's own start: none that died is replaced, and why it ended is told. */
  callAtStart<Result>(method: string): Promise<Result>
  /** Waits while a publisher that died is being replaced. */
  call<Result>(method: string, argument?: unknown): Promise<Result>
  stop(): Promise<void>
}

const restartPause = 200
/** Before one that could not begin is replaced: the database may be away for minutes. */
const patientPause = 2_000

/**
 * Starts the one holder of the provisioning credential and replaces it when it dies. It loads its code at once, while the
 * database is still starting. What it was doing when it died is refused as `unavailable`: nothing is published by halves,
 * and asking again is safe.
 */
export function startPublisher(options: {
  start: Promise<PublisherStart>
  pool: Promise<RunnerPool>
  /** Aborted when the host ends: nobody is started any more. */
  ending: AbortSignal
  log: (message: string) => void
}): Publisher {
  let current: { child: ManagedProcess; prepared: Promise<Prepared> } = startOne()

  function startOne(): typeof current {
    const child = startProcess(new URL('../publishing/main.ts', import.meta.url))
    const ended = child.ended.then(() => Promise.reject(new Error('it ended')))
    const begun = options.start.then((start) => child.rpc.call<Prepared>('start', start))
    const prepared = orItsEnd(child, Promise.race([begun, ended]))
    prepared.catch(() => {})
    Promise.all([options.pool, prepared]).then(
      ([pool]) => pool.attachWeb(child.process),
      () => {},
    )
    void child.ended.then((how) => {
      if (options.ending.aborted) return
      options.log(`the publisher ended (${how}): starting another`)
      const pause = new Promise((done) => setTimeout(done, restartPause))
      const next = pause.then(() => {
        if (options.ending.aborted) throw new ServiceError('unavailable')
        current = replace()
        return current.prepared
      })
      next.catch(() => {})
      current = { child, prepared: next }
    })
    return { child, prepared }
  }

  /** One that cannot begin ends, and another takes its place: only the first one's failure is that of the host. */
  function replace(): typeof current {
    const replacement = startOne()
    replacement.prepared.catch((error: Error) => {
      if (options.ending.aborted) return
      options.log(`the publisher could not begin: ${error.message}`)
      setTimeout(() => replacement.child.process.kill('SIGKILL'), patientPause)
    })
    return replacement
  }

  return {
    prepared: current.prepared,
    readSamplesAhead() {
      current.child.rpc.call('readSamplesAhead').catch(() => {})
    },
    callAtStart: (method) => orItsEnd(current.child, current.child.rpc.call(method)),
    async call(method, argument) {
      await current.prepared.catch(() => {
        throw new ServiceError('unavailable')
      })
      return current.child.rpc.call(method, argument)
    },
    stop: () => current.child.stop(),
  }
}

/** Its channel closes before it has ended, and what was asked of it is refused by then: how it ended says more. */
function orItsEnd<Result>({ process, ended }: ManagedProcess, asked: Promise<Result>): Promise<Result> {
  return asked.catch(async (error) => {
    const lives = process.connected && process.pid !== undefined
    throw lives ? error : new Error(`the publisher ended before it was done (${await ended})`)
  })
}
