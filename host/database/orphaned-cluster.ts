import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a data folder holds from its first start on. */
const marks = ['host-key', 'database-password', 'database-place']

/**
 * Whether a cluster lies elsewhere than in this data folder, which knows nothing of it: it belonged to one that was here and
 * was removed, and its passwords and keys with that.
 */
export function isOrphan(cluster: string, dataDirectory: string): boolean {
  const elsewhere = dirname(cluster) !== dataDirectory
  return elsewhere && existsSync(cluster) && !marks.some((mark) => existsSync(join(dataDirectory, mark)))
}

/** Keeps it for whoever has its key, out of the way of the one that is made in its place. */
export function setAside(cluster: string): void {
  const when = new Date().toISOString().replace(/\W/g, '')
  renameSync(cluster, `${cluster}-orphaned-${when}`)
}
