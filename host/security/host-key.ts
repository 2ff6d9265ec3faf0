import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config.ts'

/** The key everything else is derived from: the setting, else one made once and kept in the data folder (mode 600). */
export function readHostKey(settings: Pick<Settings, 'HOST_KEY' | 'DATA_DIR'>): Buffer {
  if (settings.HOST_KEY) return Buffer.from(settings.HOST_KEY, 'base64')
  const file = join(settings.DATA_DIR, 'host-key')
  if (!existsSync(file)) {
    mkdirSync(settings.DATA_DIR, { recursive: true })
    writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' })
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64')
}
