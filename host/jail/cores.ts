import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Lists of cores as `taskset` and the kernel write them ("1-3,5"). */
export type Cores = { all: string; allButFirst: string }

/** The cores this process may use. Undefined where there is one only, or no `/proc` that says. */
export function coresOfThisProcess(procPath: string): Cores | undefined {
  try {
    const all = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`${procPath}/self/status`, 'latin1'))?.[1] ?? ''
    const [, ...others] = coresOf(all)
    return others.length > 0 ? { all, allButFirst: others.join(',') } : undefined
  } catch {
    return undefined
  }
}

/** "0-2,5" is 0, 1, 2 and 5. */
export function coresOf(list: string): number[] {
  return list
    .split(',')
    .filter((part) => /^\d+(-\d+)?$/.test(part))
    .flatMap((part) => {
      const [from, to] = part.split('-').map(Number) as [number, number?]
      return Array.from({ length: (to ?? from) - from + 1 }, (_, index) => from + index)
    })
}

/** Takes the first core away from a process with all its threads, or gives it back. */
export type Confine = (pid: number, confined: boolean) => void

/** What this system has for that, or in words why it has nothing. */
export function findConfinement(system: {
  platform: NodeJS.Platform
  procPath: string
  succeeds: (command: readonly string[]) => boolean
}): Confine | string {
  if (system.platform !== 'linux') return `there is none on ${system.platform}`
  const cores = coresOfThisProcess(system.procPath)
  if (cores === undefined) return 'there is one core'
  if (!system.succeeds(['taskset', '-c', cores.allButFirst, 'true'])) return 'this system does not allow it'
  return (pid, confined) => {
    const args = ['-a', '-p', '-c', confined ? cores.allButFirst : cores.all, String(pid)]
    // It may have ended already: then there is nothing to confine.
    spawn('taskset', args, { stdio: 'ignore', env: {} }).on('error', () => {})
  }
}
