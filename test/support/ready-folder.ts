import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { readHostKey } from '../../host/security/host-key.ts'

const environmentName = 'PARTNER_TEST_READY'

/**
 * A folder of what is made once for a whole run: `cluster`, a data folder whose cluster and key are made, of which a copy takes a
 * quarter of making another. What else tests find worth keeping they put beside it.
 */
export async function makeReadyFolder(): Promise<{ environment: Record<string, string>; remove(): void }> {
  const root = dataFolder('partner-ready-')
  const cluster = join(root, 'cluster')
  mkdirSync(cluster, { mode: 0o755 })
  const { stop } = await startEmbeddedDatabase(cluster, { fast: true })
  await stop()
  readHostKey({ DATA_DIR: cluster }, true)
  return {
    environment: { [environmentName]: root },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Where it is; undefined outside a run, and where copies lose the owner of the cluster's files: only `cp` keeps it. */
export const readyFolder = (): string | undefined =>
  process.platform === 'win32' ? undefined : process.env[environmentName]

/** A temporary data folder, to which PostgreSQL's own user finds its way, so that the database goes with the folder. */
export function dataFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o755)
  return folder
}

/** One whose cluster needs no making, in a run; what starts there finds it as if it had been started there before. */
export function readyDataFolder(prefix: string): string {
  const root = readyFolder()
  return root ? copyOf(join(root, 'cluster'), prefix) : dataFolder(prefix)
}

export function copyOf(ready: string, prefix: string): string {
  const folder = dataFolder(prefix)
  execFileSync('cp', ['-a', `${ready}/.`, folder])
  return folder
}
