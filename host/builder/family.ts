import { readdirSync, readFileSync } from 'node:fs'

/** A process and its children, those that it has just then. Where there is no /proc, itself alone. */
export function familyOf(pid: number): number[] {
  try {
    // Any thread may have started one.
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children]
  } catch {
    return [pid]
  }
}
