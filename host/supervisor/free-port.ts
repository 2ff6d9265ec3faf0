import { type AddressInfo, createServer } from 'node:net'
import { type Settings, SettingError } from '../config.ts'

/**
 * The port to listen on, looked for before anything is started; for 0 a free one, the same for all web processes. Throws a
 * SettingError where the address is taken or not ours.
 */
export async function findPort({ HOST, PORT }: Settings): Promise<number> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: HOST, port: PORT, exclusive: true }, resolve)
    })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE') throw new SettingError(`PORT takes a free port (${PORT} is taken)`)
    if (code === 'EACCES') throw new SettingError(`PORT takes a port that this user may open (${PORT} is not)`)
    throw new SettingError(`HOST takes an address of this machine (${HOST}: ${code})`)
  }
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
