import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Rank } from './rank.ts'

/** A control group that holds one process, with all the threads and children it will have. */
export type CpuGroup = {
  rank: (rank: Rank) => void
  /** Once the process is gone. */
  remove: () => void
}

/** Puts a process into a control group of its own. Undefined where that failed, or where the process is gone already. */
export type MakeCpuGroup = (pid: number) => CpuGroup | undefined

/** Where the kernel keeps a group's share of the CPU: an ordinary process weighs as much as `ordinary`. */
type Weights = { file: string; ordinary: number }

const weights = { v1: { file: 'cpu.shares', ordinary: 1_024 }, v2: { file: 'cpu.weight', ordinary: 100 } } as const
const prefix = 'partner-guest-'
/** Of an ordinary share, while guests burn on a machine full of work: whoever waits for them or beside them waits longer. */
const lowShare = 0.33

/**
 * Finds where this process may make control groups with `cpu.idle`, or says in words why nowhere.
 *
 * Why groups, and not only `nice`: Linux weighs whole groups first (a session's, a service's, a container's), and in a group
 * of the platform's own a burning guest uses up what its web processes weigh. Nor does a process that wakes take the core
 * from one that is merely nice: it waits for the next tick, up to 4 ms. From an idle group it does, at once.
 */
export function findCpuGroups(system: { platform: NodeJS.Platform; procPath: string }): MakeCpuGroup | string {
  if (system.platform !== 'linux') return `there is none on ${system.platform}`
  for (const { folder, weight } of groupFolders(system.procPath)) {
    sweepLeftovers(folder, system.procPath)
    if (allows(folder, weight)) return (pid) => makeGroup(folder, weight, pid)
  }
  return 'this system does not allow it'
}

/** Folders of the CPU controller that may hold our groups: this process's own group, or the one around it. */
export function groupFolders(procPath: string): { folder: string; weight: Weights }[] {
  try {
    const mounts = readFileSync(`${procPath}/self/mountinfo`, 'utf8').split('\n').map(mountOf)
    const own = readFileSync(`${procPath}/self/cgroup`, 'utf8').split('\n').map(groupOf)
    const first = mounts.find((mount) => mount?.kind === 'cgroup' && mount.options.includes('cpu'))
    const inFirst = own.find((group) => group?.controllers.includes('cpu'))
    if (first && inFirst) return [{ folder: below(first, inFirst.path), weight: weights.v1 }]
    const second = mounts.find((mount) => mount?.kind === 'cgroup2')
    const inSecond = own.find((group) => group?.controllers === '')
    if (!second || !inSecond) return []
    const folder = below(second, inSecond.path)
    const around = dirname(folder)
    // A unit that delegates its group starts its processes one below it; any other parent is not ours to change.
    const delegated = /\.(service|scope)$/.test(around)
    return (delegated ? [folder, around] : [folder]).map((path) => ({ folder: path, weight: weights.v2 }))
  } catch {
    return []
  }
}

type Mount = { root: string; path: string; kind: string; options: string[] }

/** One line of `mountinfo`, see proc(5). */
function mountOf(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root, path] = before.split(' ')
  const [kind, , options] = after.split(' ')
  return root && path && kind && options ? { root, path, kind, options: options.split(',') } : undefined
}

/** One line of `/proc/<pid>/cgroup`, see cgroups(7): in the second version no controllers are named. */
function groupOf(line: string): { controllers: string; path: string } | undefined {
  const [, controllers, path] = /^\d+:([^:]*):(.+)$/.exec(line) ?? []
  return controllers !== undefined && path ? { controllers, path } : undefined
}

/** A container sees its own group as the root of the mount. */
function below({ root, path }: Mount, group: string): string {
  const inside = root !== '/' && (group === root || group.startsWith(`${root}/`)) ? group.slice(root.length) : group
  return inside === '/' ? path : join(path, inside)
}

/** Tries it: a file system that may not be written, a kernel before 5.15 and a group that holds processes refuse. */
function allows(folder: string, weight: Weights): boolean {
  const probe = join(folder, `${prefix}probe-${process.pid}`)
  try {
    if (weight === weights.v2) writeFileSync(join(folder, 'cgroup.subtree_control'), '+cpu')
    mkdirSync(probe)
    writeFileSync(join(probe, 'cpu.idle'), '1', { flag: 'r+' })
    return true
  } catch {
    return false
  } finally {
    removeGroup(probe)
  }
}

function makeGroup(folder: string, weight: Weights, pid: number): CpuGroup | undefined {
  const path = join(folder, `${prefix}${pid}`)
  const write = (file: string, value: number) => writeFileSync(join(path, file), String(value), { flag: 'r+' })
  try {
    mkdirSync(path, { recursive: true })
    write('cgroup.procs', pid)
  } catch {
    removeGroup(path)
    return undefined
  }
  return {
    rank(rank) {
      try {
        write('cpu.idle', rank === 'last' ? 1 : 0)
        // The kernel forgets a group's weight while it is idle.
        if (rank !== 'last') write(weight.file, Math.round(weight.ordinary * (rank === 'low' ? lowShare : 1)))
      } catch {
        // The group was taken away from outside: its process goes on as it is.
      }
    },
    remove: () => removeGroup(path),
  }
}

/** Groups of processes that are gone, left by hosts that were killed. */
function sweepLeftovers(folder: string, procPath: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = name.startsWith(prefix) && /\d+$/.exec(name)?.[0]
      if (pid && !existsSync(join(procPath, pid))) removeGroup(join(folder, name))
    }
  } catch {
    // There is no such folder: then there is nothing in it.
  }
}

function removeGroup(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // It is not there, or not empty.
  }
}
