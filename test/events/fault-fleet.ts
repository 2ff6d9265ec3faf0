import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { prepareDatabase } from '../../host/database/prepare.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { testHostKey } from '../support/cluster.ts'
import type { FaultProcess } from './fault-process.ts'
import { cipher } from './support.ts'

/** The processes of a platform in a fault run. */
export type FaultFleet = {
  url(): string
  /** What its data at rest is sealed with. */
  cipher: Cipher
  /** Kills one process at random and waits until another does its work. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a fleet over an empty database. */
export type StartFleet = (database: pg.ClientConfig & { database: string }) => Promise<FaultFleet>

const script = fileURLToPath(new URL('./fault-process.ts', import.meta.url))

/** Time runs this much faster: retries after 30 s come after 1.5 s, leases end after 3 s. */
const speed = 20

/** A web process and two delivery workers, without anything around them, under a clock that runs fast. */
export const startFastFleet: StartFleet = async (database) => {
  const connection = await prepareDatabase(database, {
    hostKey: testHostKey,
    database: database.database,
    embedded: true,
  })
  const startedAt = Date.now()
  const launch = (role: FaultProcess['role']) => launchProcess({ role, connection, startedAt, speed })
  const roles = ['web', 'worker', 'worker'] as const
  const running = await Promise.all(roles.map(launch))
  return {
    cipher,
    url: () => running[0]!.line,
    async kill() {
      const which = Math.floor(Math.random() * roles.length)
      const { child } = running[which]!
      if (child.exitCode !== null) throw new Error(`a process (${roles[which]}) ended by itself`)
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      running[which] = await launch(roles[which]!)
    },
    async stop() {
      for (const { child } of running) child.kill('SIGKILL')
    },
  }
}

async function launchProcess(settings: FaultProcess): Promise<{ child: ChildProcess; line: string }> {
  const args = ['--no-node-snapshot', '--disable-warning=ExperimentalWarning', script, JSON.stringify(settings)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, line: first.toString().trim() }
}
