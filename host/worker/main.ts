import type { Settings } from '../config.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { startDeliveryWorker } from '../events/delivery-worker.ts'
import { createLogger } from '../log.ts'
import { runAsChild } from '../processes/child-process.ts'
import { createCipher } from '../security/cipher.ts'

/** What the supervisor starts the delivery worker with. */
export type WorkerStart = {
  settings: Settings
  connection: CoreConnection
  /** The key of data at rest: bodies of deliveries and webhook secrets. */
  dataKey: Uint8Array
  /** Ports of this machine that are never called: the host's own and the database's. */
  forbiddenPorts: number[]
}

runAsChild<WorkerStart>(async ({ settings, connection, dataKey, forbiddenPorts }) => {
  const worker = startDeliveryWorker({
    connection: connection.system,
    cipher: createCipher(Buffer.from(dataKey)),
    logger: createLogger(settings),
    policy: { allowLoopback: settings.ALLOW_LOOPBACK_CALLBACKS, forbiddenPorts: new Set(forbiddenPorts) },
  })
  return { answer: undefined, stop: worker.stop }
})
