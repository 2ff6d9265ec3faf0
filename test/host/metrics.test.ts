import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startMetrics } from '../../host/supervisor/metrics.ts'
import { freePort } from '../support/free-port.ts'

test('nobody who asks for metrics, or is silent, keeps the host from ending', async (t) => {
  const METRICS_PORT = await freePort()
  const asked = Promise.withResolvers<void>()
  const hangs = {
    callAll: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
  }
  const stop = await startMetrics({ METRICS_PORT } as never, hangs as never)
  const sockets = await Promise.all(
    ['', 'GET /metrics HTTP/1.1\r\n', 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'].map(async (text) => {
      const socket = connect(METRICS_PORT, '127.0.0.1').on('error', () => {})
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      socket.write(text)
      return socket
    }),
  )
  await asked.promise
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
  await stop()
  await closed
})
