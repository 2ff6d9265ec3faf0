import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { own, type SystemUser } from './embedded-binaries.ts'

/** The folder of a database's socket, which `user` alone may enter. */
export function makeSocketFolder(key: string, user: SystemUser | null): string {
  const folder = join(tmpdir(), `partner-db-${key}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  own(folder, user)
  return folder
}
