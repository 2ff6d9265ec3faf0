import type { SharedSettings } from '../config.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { startDeliveryWorker } from '../events/delivery-worker.ts'
import { createLogger } from '../log.ts'
import { startHourlyPurge } from '../maintenance/hourly-purge.ts'
import { runAsChild } from '../processes/child-process.ts'
import { createCipher } from '../security/cipher.ts'

/** What the supervisor starts the worker process with: it sends deliveries and removes what has ended. */
export type WorkerStart = {
  settings: SharedSettings
  connection: CoreConnection
  /** The key of data at rest: bodies of deliveries and webhook secrets. */
  dataKey: Uint8Array
  /** Ports of this machine that are never called: the host's own and the database's. */
  forbiddenPorts: number[]
}

runAsChild<WorkerStart>(async ({ settings, connection, dataKey, forbiddenPorts }) => {
  const logger = createLogger(settings)
  const jobs = [
    startDeliveryWorker({
      connection: connection.system,
      cipher: createCipher(Buffer.from(dataKey)),
      logger,
      policy: { allowLoopback: settings.ALLOW_LOOPBACK_CALLBACKS, forbiddenPorts: new Set(forbiddenPorts) },
    }),
    startHourlyPurge({ connection: connection.system, logger }),
  ]
  return {
    answer: undefined,
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
})
