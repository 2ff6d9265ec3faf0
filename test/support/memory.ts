import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const shared = '/dev/shm'
/** A run holds a fifth of it at most. */
const plenty = 4 * 2 ** 30

/**
 * A folder in memory for all that a run writes: each database is a thousand files, and making those on a disk took a tenth
 * of a run. Null where memory is short, there is none of the kind, or nothing could be executed there.
 */
export function folderInMemory(): string | null {
  if (!hasRoom()) return null
  const folder = mkdtempSync(`${shared}/partner-tests-`)
  // PostgreSQL's own user and the jail's find their way.
  chmodSync(folder, 0o755)
  return folder
}

function hasRoom(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === shared)
    const { bavail, bsize } = statfsSync(shared)
    return mount !== undefined && !/\bnoexec\b/.test(mount) && Math.min(bavail * bsize, freemem()) > plenty
  } catch {
    return false
  }
}
