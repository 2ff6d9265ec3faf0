import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { readHostKey } from '../../host/security/host-key.ts'

const environmentName = 'PARTNER_TEST_READY_CLUSTER'

/** A data folder whose cluster, with its key, was made once for the whole run: copying it takes a quarter of making another. */
export async function makeReadyCluster(): Promise<{ environment: Record<string, string>; remove(): void }> {
  const folder = dataFolder('partner-ready-')
  const { stop } = await startEmbeddedDatabase(folder, { fast: true })
  await stop()
  readHostKey({ DATA_DIR: folder }, true)
  return {
    // Only `cp` keeps the owner of the cluster's files.
    environment: process.platform === 'win32' ? {} : { [environmentName]: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A temporary data folder, to which PostgreSQL's own user finds its way, so that the database goes with the folder. */
export function dataFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o755)
  return folder
}

/** One whose cluster needs no making, in a run; what starts there finds it as if it had been started there before. */
export function readyDataFolder(prefix: string): string {
  const folder = dataFolder(prefix)
  const ready = process.env[environmentName]
  if (ready) execFileSync('cp', ['-a', `${ready}/.`, folder])
  return folder
}
