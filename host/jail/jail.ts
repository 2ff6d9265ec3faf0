import { existsSync } from 'node:fs'
import { findCpuGroups, type MakeCpuGroup } from '../processes/cpu-groups.ts'
import { mayRankOthers, niceness, type Rank, setNiceness } from '../processes/rank.ts'
import { type Confine, findConfinement } from './cores.ts'
import type { JailImage } from './image.ts'
import { succeeds } from './probe.ts'

/** What holds jailed processes, in words for the start log. */
export type JailReport = { inForce: string[]; missing: string[] }

export type Jail<Script extends string> = {
  report: JailReport
  /** The system user of its processes, where it is not our own: files for them must belong to it. */
  user: number | null
  /** The program and arguments that start a script under everything in force. `readable`: folders besides the image's. */
  command: (script: Script, argument: string, readable?: readonly string[]) => { program: string; args: string[] }
  /**
   * Gives a process its low priority, as soon as there is one: even its start must not hold up the API. Later an ordinary
   * one, where the system lets us.
   */
  settle: (pid: number, rank?: Rank) => void
  /** Puts one of its processes into a control group of the CPU; undefined where there are none. */
  makeGroup: MakeCpuGroup | undefined
  /** Undefined where that cannot be had. */
  confine: Confine | undefined
  /** Where the watchdog looks at processes. */
  procPath: string
  remove: () => void
}

/** What the jail is built on; a test may take parts of it away. */
export type JailSystem<Script extends string> = {
  platform: NodeJS.Platform
  root: boolean
  procPath: string
  installed: JailImage<Script>
  /** The image where the other user can read it, if the checkout is closed to it. Without one there is no other user then. */
  elsewhere?: () => JailImage<Script>
  /** Whether a command of the system, such as `unshare`, ends well. Throws where that is not known. */
  succeeds: (command: readonly string[]) => boolean
}

/** nobody: owns no files and runs no services. */
const systemUser = 65_534
const dropAll = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const otherUser = [`--reuid=${systemUser}`, `--regid=${systemUser}`, '--clear-groups']

const thisSystem = () => ({
  platform: process.platform,
  root: process.platform === 'linux' && process.getuid?.() === 0,
  procPath: '/proc',
  succeeds,
})

/**
 * Finds out what this system allows and builds the strictest jail it can. What cannot be had is named in the report and
 * never stops the start: jailed processes hold no credential and are judged from outside in any case. Throws where it cannot
 * be found out.
 */
export function buildJail<Script extends string>(
  parts: Pick<JailSystem<Script>, 'installed'> & Partial<JailSystem<Script>>,
): Jail<Script> {
  const system: JailSystem<Script> = { ...thisSystem(), ...parts }
  const report: JailReport = {
    inForce: [
      'isolates in processes of their own',
      'empty environment',
      "Node's permission model (reads its own files only)",
    ],
    missing: [],
  }
  const note = (holds: boolean, name: string, why: string) => {
    if (holds) report.inForce.push(name)
    else report.missing.push(`${name}: ${why}`)
    return holds
  }
  /** What the system has for a wall, or undefined where it says in words why it has nothing. */
  const found = <Means>(means: Means | string, name: string): Means | undefined => {
    if (typeof means !== 'string') report.inForce.push(name)
    else report.missing.push(`${name}: ${means}`)
    return typeof means === 'string' ? undefined : means
  }
  const linux = system.platform === 'linux'
  const why = linux ? 'this system does not allow it' : `there is none on ${system.platform}`

  const network = system.root ? ['unshare', '-n', '--'] : ['unshare', '-Urn', '--']
  const wrapper: string[] = []
  if (note(linux && system.succeeds([...network, 'true']), 'empty network namespace', why)) wrapper.push(...network)
  const privileges = ['setpriv', ...dropAll]
  const holdsPrivileges = linux && system.succeeds([...wrapper, ...privileges, '--', 'true'])
  if (note(holdsPrivileges, 'no new privileges, no capabilities', why)) wrapper.push(...privileges)

  const { image, user } = chooseImage(system, wrapper, system.root && holdsPrivileges, report)
  if (user !== null) wrapper.push(...otherUser)
  if (holdsPrivileges) wrapper.push('--')
  const { procPath } = system
  // Root in a container may lack what it takes to rank another user's processes: then they start with their rank.
  const ranks = user === null || mayRankOthers(procPath)
  if (!ranks) wrapper.unshift('nice', '-n', String(niceness))
  report.inForce.push(`nice ${niceness}`)
  const seesProcesses = existsSync(`${procPath}/self/stat`)
  note(seesProcesses, 'CPU time and memory watched from outside', `there is no ${procPath}, silence alone is judged`)
  const makeGroup = found(findCpuGroups(system), 'the CPU only while nobody else wants it')
  const confinement = ranks ? findConfinement(system) : 'CAP_SYS_NICE is missing'
  const confine = found(confinement, 'off the first core while it burns')
  return {
    report,
    user,
    command: commandFor(image, wrapper),
    settle: ranks ? setNiceness : () => {},
    makeGroup,
    confine,
    procPath,
    remove: image.remove,
  }
}

/** Whether its processes are another user's, and from where that user can read the image's files. */
function chooseImage<Script extends string>(
  system: JailSystem<Script>,
  wrapper: readonly string[],
  canChange: boolean,
  report: JailReport,
): { image: JailImage<Script>; user: number | null } {
  const { installed } = system
  if (!canChange) {
    report.missing.push(`own system user: ${system.root ? 'setpriv does not work here' : 'the supervisor is not root'}`)
    return { image: installed, user: null }
  }
  const starts = (image: JailImage<Script>) => {
    const reads = image.needed.map((path) => `require('node:fs').accessSync(${JSON.stringify(path)})`)
    return system.succeeds([...(image.placed ?? []), ...wrapper, ...otherUser, '--', image.node, '-e', reads.join(';')])
  }
  if (starts(installed)) {
    report.inForce.push(`own system user (${systemUser})`)
    return { image: installed, user: systemUser }
  }
  const elsewhere = system.elsewhere?.()
  if (elsewhere && starts(elsewhere)) {
    installed.remove()
    report.inForce.push(`own system user (${systemUser}), from ${elsewhere.origin}`)
    return { image: elsewhere, user: systemUser }
  }
  elsewhere?.remove()
  report.missing.push('own system user: it can read neither the checkout nor what stands in for it')
  return { image: installed, user: null }
}

function commandFor<Script extends string>(image: JailImage<Script>, wrapper: string[]): Jail<Script>['command'] {
  return (script, argument, readable = []) => {
    const node = [
      image.node,
      '--permission',
      ...image.flags,
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
      ...[...image.readable, ...readable].map((path) => `--allow-fs-read=${path}`),
      image.scripts[script],
      argument,
    ]
    const [program = '', ...args] = [...(image.placed ?? []), ...wrapper, ...node]
    return { program, args }
  }
}
