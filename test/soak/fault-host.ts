import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCipher } from '../../host/security/cipher.ts'
import { webKeys } from '../../host/security/keys.ts'
import type { StartFleet } from '../events/fault-fleet.ts'
import { type StartedHost, startHostProcess } from '../host/started-host.ts'
import { testHostKey } from '../support/cluster.ts'
import { freePort } from '../support/free-port.ts'
import { processesBelow } from '../support/process-tree.ts'

/** Every kind of process of a host, by its entry. The command line that a user starts is the supervisor. */
const supervisor = 'cli/main.ts'
const kinds = ['web/main.ts', 'worker/main.ts', 'runner.mjs', 'publishing/main.ts', supervisor]
const patience = 60_000
const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/** A whole host as `partner start` starts it, in real time, over a database that outlives it. */
export const startWholeHost: StartFleet = async ({ host: socket, user, password, database }) => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-fault-host-'))
  const settings = {
    HOME: folder,
    PORT: String(await freePort()),
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${database}?host=${encodeURIComponent(String(socket))}`,
    HOST_KEY: testHostKey.toString('base64'),
    ALLOW_LOOPBACK_CALLBACKS: 'true',
    WEB_PROCESSES: '2',
    LOG_LEVEL: 'silent',
  }
  const start = () => startHostProcess(join(folder, 'data'), ['--no-samples'], settings)
  let host: StartedHost = await start()

  /** The children of a killed supervisor hold the port for a moment longer. */
  async function startAgain(): Promise<StartedHost> {
    for (const end = Date.now() + patience; ; await pause(200)) {
      try {
        return await start()
      } catch (error) {
        if (Date.now() > end) throw error
      }
    }
  }

  async function replaced(kind: string, victim: number, count: number): Promise<void> {
    for (const end = Date.now() + patience; Date.now() < end; await pause(50)) {
      const now = processesBelow(host.process.pid!, kind)
      if (!now.includes(victim) && now.length >= count) return
    }
    throw new Error(`${kind} was not replaced`)
  }

  return {
    url: () => host.url,
    cipher: createCipher(webKeys(testHostKey).data),
    async kill() {
      const kind = kinds[randomInt(kinds.length)]!
      const living = processesBelow(host.process.pid!, kind)
      const victim = living[randomInt(living.length)]!
      process.kill(victim, 'SIGKILL')
      if (kind !== supervisor) return await replaced(kind, victim, living.length)
      await host.ended
      host = await startAgain()
    },
    async stop() {
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
