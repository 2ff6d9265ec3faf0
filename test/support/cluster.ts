import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { prepareDatabase } from '../../host/database/prepare.ts'
import { coreRoles } from '../../host/database/roles.ts'
import { prepareModuleDatabase } from '../../host/module-database/prepare.ts'

/** The host key of tests: role passwords are derived from it, so every test file of a run can connect. */
export const testHostKey = Buffer.alloc(32, 7)

export const templateDatabase = 'partner_template'

export type Cluster = { superuser: pg.ClientConfig & { database: string } }

const environmentName = 'PARTNER_TEST_CLUSTER'

/** What one test file may have open at once, pools of several processes included. */
const sessionsPerFile = 50
const fewestFiles = 4

/** A throw-away PostgreSQL with one prepared database that tests clone. `stop` removes every trace. */
export async function startCluster(filesAtOnce = fewestFiles): Promise<Cluster & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-test-'))
  // PostgreSQL's own user finds its way, and the database goes with the folder.
  chmodSync(folder, 0o755)
  const { superuser, stop } = await startEmbeddedDatabase(folder, {
    fast: true,
    sessions: filesAtOnce * sessionsPerFile,
  })
  const remove = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await prepareDatabase(superuser, { hostKey: testHostKey, database: templateDatabase, embedded: true })
    await raiseWalls(superuser)
  } catch (error) {
    await remove()
    throw error
  }
  return { superuser, stop: remove }
}

/** Tests run behind the same walls as a host: what a role lost there, it lacks here. */
async function raiseWalls(superuser: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...superuser, database: templateDatabase })
  await client.connect()
  try {
    await prepareModuleDatabase(client, {
      database: templateDatabase,
      suffix: '',
      coreRoles: Object.values(coreRoles('')),
    })
  } finally {
    await client.end()
  }
}

/** The run's cluster, handed down by `npm test`; a test file that runs alone starts its own. */
export async function useCluster(): Promise<Cluster & { stop(): Promise<void> }> {
  const handedDown = process.env[environmentName]
  return handedDown ? { superuser: JSON.parse(handedDown), stop: async () => {} } : await startCluster()
}

export const clusterEnvironment = ({ superuser }: Cluster) => ({ [environmentName]: JSON.stringify(superuser) })
