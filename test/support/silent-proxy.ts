import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type pg from 'pg'

/** A way to the database of a test that can fall silent: then nothing arrives any more, and nothing is closed. */
export type SilentProxy = {
  /** The same credential, by this way. */
  through<Config extends pg.ClientConfig>(config: Config): Config
  fallSilent(): void
  /** For connections that are made from now on: the others stay silent. */
  speak(): void
  close(): Promise<void>
}

export async function openProxy({ host, port }: pg.ClientConfig): Promise<SilentProxy> {
  let silent = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near.on('error', () => {}))
    if (silent) return
    const far = connect(`${host}/.s.PGSQL.${port}`)
    sockets.add(far.on('error', () => {}))
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    through: (config) => ({ ...config, host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
    fallSilent() {
      silent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    speak() {
      silent = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
