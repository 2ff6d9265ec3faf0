import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../config.ts'
import { recordedCluster } from './cluster-place.ts'
import { closedFolder, reachable, stateDirectory, type SystemUser } from './embedded-binaries.ts'

/**
 * Where the cluster's files are, or will be. Throws a SettingError where the data folder had one that is no longer there: a
 * new one in its place would be an empty platform.
 */
export function clusterFolder(dataDirectory: string, user: SystemUser | null, key: string): string {
  const recorded = recordedCluster(dataDirectory)
  if (recorded && isMade(recorded)) return recorded
  const folder = usualFolder(dataDirectory, user, key)
  if (recorded && !isMade(folder))
    throw new SettingError(`DATA_DIR takes the folder with its database (it was in ${recorded}, which holds none)`)
  return folder
}

/**
 * Below the data folder, or in the system's folder where `user` could not reach it when they were made. Folders are closed
 * and opened meanwhile: a cluster stays where it is. Throws a SettingError where each place has one.
 */
function usualFolder(dataDirectory: string, user: SystemUser | null, key: string): string {
  const inPlace = join(dataDirectory, 'postgres')
  if (!user) return inPlace
  const ofSystem = join(stateDirectory, `cluster-${key}`)
  const [made, second] = [inPlace, ofSystem].filter(isMade)
  if (made && second)
    throw new SettingError(
      `DATA_DIR takes a folder with one database (one is in ${made}, one in ${second}: move that away which is not meant)`,
    )
  if (made) return made
  if (reachable(inPlace, user)) return inPlace
  mkdirSync(stateDirectory, { recursive: true })
  chmodSync(stateDirectory, 0o755)
  return ofSystem
}

/** Whether a cluster is there: initdb writes this file. */
export const isMade = (cluster: string): boolean => existsSync(join(cluster, 'PG_VERSION'))

/** Throws a SettingError, with what to do, where a cluster is not the user's who runs PostgreSQL, or is closed to that one. */
export function refuseUnusable(cluster: string, user: SystemUser | null): void {
  if (!user) return
  const { name, uid } = user
  if (statSync(cluster).uid !== uid)
    throw new SettingError(
      `DATA_DIR takes a folder whose database belongs to ${name} (${cluster} does not: chown -R ${name} ${cluster})`,
    )
  const closed = closedFolder(cluster, user)
  if (closed)
    throw new SettingError(
      `DATA_DIR takes a folder whose database ${name} can reach (${closed} is closed to it: chmod o+x ${closed})`,
    )
}
