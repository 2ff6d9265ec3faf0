import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** One after the other: Node's own recursion never ends where the system makes no folders, as in `/proc`. */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return
  makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another host that starts made it meanwhile.
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}
