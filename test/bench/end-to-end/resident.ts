import { execFileSync } from 'node:child_process'

/** Resident memory of a process and all that it started, in MB; pages that they share count for each. */
export function residentMb(root: number): number {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .map((text) => text.trim().split(/\s+/).map(Number) as [pid: number, parent: number, kb: number])
  const family = new Set([root])
  for (let before = 0; before < family.size; ) {
    before = family.size
    for (const [pid, parent] of processes) if (family.has(parent)) family.add(pid)
  }
  return Math.round(processes.reduce((sum, [pid, , kb]) => (family.has(pid) ? sum + kb : sum), 0) / 1_024)
}
