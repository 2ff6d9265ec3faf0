import { accessSync, constants, globSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { SettingError } from '../config.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Claims the data folder for this host. Throws a SettingError where another living host has it. A claim is there at once with
 * its number. What a killed host left is moved aside and judged again there, as another host may have taken its place since.
 */
export function lockDataFolder(dataDirectory: string): { release(): void } {
  try {
    makeFolder(dataDirectory)
    // The slash at the end refuses a file.
    accessSync(`${dataDirectory}/`, constants.W_OK)
  } catch {
    throw new SettingError('DATA_DIR takes a folder that this user may write')
  }
  const file = join(dataDirectory, 'host.pid')
  const claim = `${file}-new-${process.pid}`
  const release = () => rmSync(file, { force: true })
  writeFileSync(claim, String(process.pid))
  try {
    while (!isDone(() => linkSync(claim, file), 'EEXIST')) removeEnded(file)
  } finally {
    rmSync(claim, { force: true })
  }
  for (const name of globSync('host.pid-aside-*', { cwd: dataDirectory })) {
    const aside = join(dataDirectory, name)
    try {
      refuseLiving(aside)
    } catch (error) {
      release()
      throw error
    }
    rmSync(aside, { force: true })
  }
  return { release }
}

/** Removes the claim of a host that has ended. Throws a SettingError where it lives, whose claim is put back if it was moved. */
function removeEnded(file: string): void {
  refuseLiving(file)
  const aside = `${file}-aside-${ulid()}`
  if (!isDone(() => renameSync(file, aside), 'ENOENT')) return
  try {
    refuseLiving(aside)
  } catch (error) {
    // Where a third host took the place meanwhile, the claim stands where it is: that one finds it, and gives way.
    if (isDone(() => linkSync(aside, file), 'EEXIST')) rmSync(aside, { force: true })
    throw error
  }
  rmSync(aside, { force: true })
}

function refuseLiving(file: string): void {
  let pid = 0
  if (!isDone(() => (pid = Number(readFileSync(file, 'utf8'))), 'ENOENT')) return
  if (pid !== process.pid && isHost(pid))
    throw new SettingError(`DATA_DIR takes a folder that no other host uses (process ${pid} does)`)
}

/** False where it fails with this code, as when another host was faster. */
function isDone(act: () => unknown, unless: string): boolean {
  try {
    act()
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== unless) throw error
    return false
  }
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
