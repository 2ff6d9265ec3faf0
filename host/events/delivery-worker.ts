import type { AnsweringConfig } from '../database/answering-client.ts'
import { openPool } from '../database/open-pool.ts'
import { workerTimeLimits } from '../database/time-limits.ts'
import { inTime } from '../processes/in-time.ts'
import type { Logger } from 'pino'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { createDeliverySender } from './delivery-sender.ts'
import type { CallPolicy } from './public-address.ts'
import { listenForWakes } from './wake.ts'
import { createWebhookClient } from './webhook-client.ts'

export type DeliveryWorkerOptions = {
  /** The system role's connection. */
  connection: AnsweringConfig
  cipher: Cipher
  logger: Logger
  policy: CallPolicy
  clock?: () => Date
  /** Milliseconds a receiver has to answer; shorter only where a test's clock runs faster. */
  answerTime?: number
}

/** Without any notice the worker looks for due deliveries this often, in milliseconds. */
const longestPause = 500
/** Ended attempts are gathered this long before they are written down together. */
const gatherTime = 5
const poolSize = 4
/** What a stop waits for the round under way, and for the goodbyes, in milliseconds: a database that is silent holds it up no longer. */
const roundPatience = 3_000
const goodbyePatience = 1_000

/** Sends what is due until it is stopped. Any number of workers may run, on any number of hosts. */
export function startDeliveryWorker(options: DeliveryWorkerOptions): { stop(): Promise<void> } {
  const { connection, cipher, logger, policy, clock = () => new Date() } = options
  const pool = openPool({ ...workerTimeLimits, ...connection, max: poolSize })
  const client = createWebhookClient({ policy, timeLimit: options.answerTime })
  const bell = createBell()
  const sender = createDeliverySender({ pool, cipher, clock, logger, client }, bell.ring)
  const listener = listenForWakes(connection, bell.ring)
  let stopped = false

  async function round(): Promise<void> {
    const [written, claimed] = await Promise.allSettled([sender.flush(), sender.claim()])
    for (const half of [written, claimed]) if (half.status === 'rejected') throw half.reason
  }

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await round()
        await bell.wait(longestPause)
        await pause(gatherTime)
      } catch (error) {
        if (!stopped) logger.warn({ err: error }, 'deliveries wait for the database')
        await bell.wait(longestPause)
      }
    }
  }

  const running = run()
  return {
    async stop() {
      stopped = true
      bell.ring()
      const answers = await inTime(
        running.then(() => true),
        roundPatience,
        false,
      )
      const left = (error?: unknown) => logger.warn({ err: error }, 'deliveries are left to their leases')
      const closed = sender.close().catch(left)
      if (answers) await closed
      else left()
      client.close()
      await inTime(Promise.all([listener.close(), pool.end()]), goodbyePatience, null)
    },
  }
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/** Something to wait for: a ring that came before the wait counts. */
function createBell(): { ring: () => void; wait(longest: number): Promise<void> } {
  let rung = false
  let waiting: (() => void) | null = null
  return {
    ring() {
      rung = true
      waiting?.()
    },
    async wait(longest) {
      if (!rung) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, longest)
          waiting = () => {
            clearTimeout(timer)
            done()
          }
        })
      }
      rung = false
      waiting = null
    },
  }
}
