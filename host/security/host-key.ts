import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Settings, SettingError } from '../config.ts'

const keyLength = 32

/**
 * The key everything else is derived from: the setting, else one made at the first start and kept in the data folder (mode
 * 600). A file that was cut short is refused: what is signed and encrypted with less would be anybody's. So is one that is
 * lost: with another key nobody could read what the database holds.
 */
export function readHostKey(settings: Pick<Settings, 'HOST_KEY' | 'DATA_DIR'>, firstStart: boolean): Buffer {
  if (settings.HOST_KEY) return Buffer.from(settings.HOST_KEY, 'base64')
  const file = join(settings.DATA_DIR, 'host-key')
  if (firstStart && isEmpty(file)) {
    mkdirSync(settings.DATA_DIR, { recursive: true })
    rmSync(file, { force: true })
    writeFileSync(file, randomBytes(keyLength).toString('base64'), { mode: 0o600, flag: 'wx', flush: true })
  }
  if (!existsSync(file))
    throw new SettingError(`HOST_KEY takes the key that the database was made with (${file} is missing)`)
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== keyLength)
    throw new SettingError(`HOST_KEY takes 32 bytes in base64 (${file} holds something else)`)
  return key
}

/** Or missing. A power cut in a first start may leave it so, before there is a database. */
const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
