import type { CoreConnection } from '../../host/database/prepare.ts'
import { startDeliveryWorker } from '../../host/events/delivery-worker.ts'
import { cipher, logger, loopbackAllowed, serveRuntime } from './support.ts'

/** What a process of a fault run is told on its command line. */
export type FaultProcess = { role: 'web' | 'worker'; connection: CoreConnection; startedAt: number; speed: number }

/** Time runs `speed` times faster than on the wall, in every process of a run alike. */
export const fastClock = (startedAt: number, speed: number) => () =>
  new Date(startedAt + (Date.now() - startedAt) * speed)

const { role, connection, startedAt, speed } = JSON.parse(process.argv[2] ?? '{}') as FaultProcess
const clock = fastClock(startedAt, speed)

if (role === 'web') {
  const { url } = await serveRuntime(connection, clock)
  process.stdout.write(`${url}\n`)
}
if (role === 'worker') {
  const options = { cipher, logger, clock, policy: loopbackAllowed, answerTime: 10_000 / speed }
  startDeliveryWorker({ ...options, connection: connection.system })
  process.stdout.write('working\n')
}
