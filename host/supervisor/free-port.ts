import { type AddressInfo, createServer } from 'node:net'
import { type Settings, SettingError } from '../config.ts'

/**
 * The port to listen on, looked for before anything is started; for 0 a free one, the same for all web processes. Throws a
 * SettingError where the address is taken or not ours.
 */
export async function findPort({ HOST, PORT, METRICS_PORT }: Settings): Promise<number> {
  const own = await listen(HOST, 'PORT', PORT)
  try {
    if (METRICS_PORT !== undefined) await (await listen('127.0.0.1', 'METRICS_PORT', METRICS_PORT)).close()
    return own.port
  } finally {
    await own.close()
  }
}

async function listen(host: string, name: string, port: number): Promise<{ port: number; close(): Promise<unknown> }> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE') throw new SettingError(`${name} takes a free port (${port} is taken)`)
    if (code === 'EACCES') throw new SettingError(`${name} takes a port that this user may open (${port} is not)`)
    throw new SettingError(`HOST takes an address of this machine (${host}: ${code})`)
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((done) => server.close(done)),
  }
}
