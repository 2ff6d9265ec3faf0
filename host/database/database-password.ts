import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../config.ts'

const bytes = 24

/**
 * The superuser's password, made with the cluster and kept in the data folder (mode 600). `made`: there is a cluster, which
 * opens with no other. Throws a SettingError then where the file is missing or was cut short.
 */
export function readDatabasePassword(dataDirectory: string, made: boolean): string {
  const file = join(dataDirectory, 'database-password')
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (Buffer.from(kept, 'base64url').length >= bytes) return kept
  if (made) throw existsSync(file) ? wrongPassword(dataDirectory) : refusal(`${file} is missing`)
  const password = randomBytes(bytes).toString('base64url')
  writeFileSync(file, password, { mode: 0o600 })
  return password
}

/** For a password that is not the cluster's. */
export const wrongPassword = (dataDirectory: string): SettingError =>
  refusal(`${join(dataDirectory, 'database-password')} holds something else`)

const refusal = (reason: string): SettingError =>
  new SettingError(`DATA_DIR takes the folder that the database was made in (${reason})`)
