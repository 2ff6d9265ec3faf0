import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { SettingError } from '../config.ts'

/** In the data folder: where the cluster is, and, of one that lies elsewhere, whose data folder it is; a line each. */
const placeFile = 'database-place'

/**
 * Where the data folder says that its cluster is, which it does from its first start on: by whatever name the folder is
 * reached, and wherever it was moved. Throws a SettingError in a copy of a folder that is still there, for a cluster elsewhere
 * that only the copied one may use.
 */
export function recordedCluster(dataDirectory: string): string | undefined {
  const [cluster, owner] = read(dataDirectory)
  if (!cluster) return undefined
  if (owner && owner !== realpathSync(dataDirectory) && read(owner)[0] === cluster)
    throw new SettingError(
      `DATA_DIR takes a folder with a database of its own (the one in ${cluster} is that of ${owner}: copy it to ${join(dataDirectory, 'postgres')} and remove ${join(dataDirectory, placeFile)})`,
    )
  return resolve(dataDirectory, cluster)
}

/** Notes where it is. One below the data folder goes with that, copies too. */
export function recordCluster(dataDirectory: string, cluster: string): void {
  const own = relative(dataDirectory, cluster)
  const lines = own.startsWith('..') ? [cluster, realpathSync(dataDirectory)] : [own]
  if (lines.join('\n') === read(dataDirectory).join('\n')) return
  const [file, partial] = [join(dataDirectory, placeFile), join(dataDirectory, `${placeFile}.${process.pid}`)]
  writeFileSync(partial, `${lines.join('\n')}\n`, { mode: 0o600, flush: true })
  renameSync(partial, file)
}

function read(dataDirectory: string): string[] {
  try {
    return readFileSync(join(dataDirectory, placeFile), 'utf8').split('\n').filter(Boolean)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}
