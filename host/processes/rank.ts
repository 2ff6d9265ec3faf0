import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What a process gets of the CPU beside the platform's: what nobody else wants, a part of a share, a share. */
export type Rank = 'last' | 'low' | 'ordinary'

/** Of processes that run strangers' code: beside the platform's they get a tenth of a core. */
export const niceness = 10

/** Being nice knows no last. */
export function setNiceness(pid: number, rank: Rank = 'low'): void {
  try {
    setPriority(pid, rank === 'ordinary' ? 0 : niceness)
  } catch {
    // The process has ended already, or only root may give priority back: it goes on as it is.
  }
}

/**
 * A process that leads a session of its own Linux weighs together with it, as a group, in which being nice counts for
 * nothing: two that burn tripled the API's p99. So the group is made nice too, see sched(7) on autogroups.
 */
export function setSessionNiceness(pid: number, procPath: string): void {
  try {
    writeFileSync(`${procPath}/${pid}/autogroup`, String(niceness), { flag: 'r+' })
  } catch {
    // There are no such groups, or the process has ended already.
  }
}

/** CAP_SYS_NICE, by its number in the kernel: priority and cores of processes that are another user's. */
const sysNice = 1n << 23n

/** Whether this process may change what another user's processes get of the CPU. */
export function mayRankOthers(procPath: string): boolean {
  try {
    const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync(`${procPath}/self/status`, 'latin1'))?.[1] ?? '0'
    return (BigInt(`0x${held}`) & sysNice) !== 0n
  } catch {
    return false
  }
}
