import { createServer } from 'node:net'
import { type Settings, SettingError } from '../config.ts'

/** Looks before anything is started. Throws a SettingError where the address is taken or not ours. */
export async function refuseTakenPort({ HOST, PORT }: Settings): Promise<void> {
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
  await new Promise((done) => server.close(done))
}
