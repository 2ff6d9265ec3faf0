import { cpSync, existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { isAlive } from '../processes/is-alive.ts'
import { openToUsers } from '../processes/open-to-users.ts'

/**
 * Copies a folder once for all of a machine's users, under another name until it is whole. Hosts of other data folders may
 * be copying too: the first that ends makes it.
 */
export function copyOnce(folder: string, copy: string): void {
  if (existsSync(copy)) return
  removeUnfinished(copy)
  const partial = `${copy}.${process.pid}`
  mkdirSync(dirname(copy), { recursive: true, mode: 0o755 })
  cpSync(folder, partial, { recursive: true, verbatimSymlinks: true })
  openToUsers(partial)
  keepFirst(partial, copy)
}

/** What hosts left that were killed. */
function removeUnfinished(copy: string): void {
  for (const name of globSync(`${basename(copy)}.*`, { cwd: dirname(copy) }))
    if (!isAlive(Number(extname(name).slice(1)))) rmSync(join(dirname(copy), name), { recursive: true, force: true })
}

export function keepFirst(partial: string, copy: string): void {
  try {
    renameSync(partial, copy)
  } catch (error) {
    if (!existsSync(copy)) throw error
    rmSync(partial, { recursive: true })
  }
}
