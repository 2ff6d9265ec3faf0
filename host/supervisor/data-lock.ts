import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../config.ts'
import { makeFolder } from './make-folder.ts'

/** Claims the data folder for this host. Throws a SettingError where another living host has it. */
export function lockDataFolder(dataDirectory: string): { release(): void } {
  try {
    makeFolder(dataDirectory)
    // The slash at the end refuses a file.
    accessSync(`${dataDirectory}/`, constants.W_OK)
  } catch {
    throw new SettingError('DATA_DIR takes a folder that this user may write')
  }
  const file = join(dataDirectory, 'host.pid')
  if (existsSync(file)) {
    const pid = Number(readFileSync(file, 'utf8'))
    if (pid !== process.pid && isHost(pid))
      throw new SettingError(`DATA_DIR takes a folder that no other host uses (process ${pid} does)`)
    rmSync(file)
  }
  writeFileSync(file, String(process.pid), { flag: 'wx' })
  return { release: () => rmSync(file, { force: true }) }
}

/**
 * A number may be another program's by now, or a thread's, as in a container that begins to count anew: a host's command
 * line names our entry. A power cut leaves an empty file.
 */
function isHost(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const leader = /^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(leader) === pid && /cli\/main\.ts\0start\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return true
  }
}
