import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** `ancestor` and all below it whose command line names `entry`; every one for the empty text. */
export function processesBelow(ancestor: number, entry: string): number[] {
  const known = new Map<number, { parent: number; command: string }>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
      known.set(Number(name), { parent, command: readFileSync(`/proc/${name}/cmdline`, 'utf8') })
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid: number): boolean => pid === ancestor || (known.has(pid) && isBelow(known.get(pid)!.parent))
  return [...known].filter(([pid, { command }]) => command.includes(entry) && isBelow(pid)).map(([pid]) => pid)
}

/** A process that has ended may wait to be taken note of by whoever inherited it. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}
