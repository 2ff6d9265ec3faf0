import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type pg from 'pg'

const cancelRequestCode = 80_877_102
const sslRequestCode = 80_877_103

/**
 * Asks the server to stop what a backend is doing, over a connection of its own: a hostile statement may have lifted the
 * server's time limit, never this one. Resolves when the request was delivered or could not be; never rejects.
 */
export function cancelBackend(
  connection: pg.ClientConfig,
  backend: { processId: number; secretKey: number },
): Promise<void> {
  return new Promise((resolve) => {
    const { host = '127.0.0.1', port = 5432, ssl } = connection
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    if (!ssl) {
      socket.on('connect', () => socket.end(cancelRequest(backend)))
      return
    }
    socket.on('connect', () => socket.write(message(sslRequestCode)))
    socket.once('data', (answer) => {
      if (answer.toString('latin1') !== 'S') return socket.destroy()
      const secure = connectTls({ socket, host, ...(ssl === true ? {} : ssl) }, () =>
        secure.end(cancelRequest(backend)),
      )
      secure.on('error', () => socket.destroy())
    })
  })
}

const cancelRequest = (backend: { processId: number; secretKey: number }) =>
  message(cancelRequestCode, backend.processId, backend.secretKey)

function message(...words: number[]): Buffer {
  const buffer = Buffer.alloc(4 + words.length * 4)
  buffer.writeInt32BE(buffer.length, 0)
  for (const [index, word] of words.entries()) buffer.writeInt32BE(word, 4 + index * 4)
  return buffer
}
