import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lets every system user read a copy of files of ours, and run what its owner may run: a copy has the modes of what was
 * copied, and whoever installs with a umask of 077 closes all to others.
 */
export function openToUsers(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644)
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToUsers(join(path, name))
}
