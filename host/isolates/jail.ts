import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { copiedImage, installedImage, type RunnerImage } from './runner-image.ts'

/** What holds a runner, in words for the start log. */
export type JailReport = { inForce: string[]; missing: string[] }

export type Jail = {
  report: JailReport
  /** The program and arguments that start a runner's script under everything in force. */
  command: (script: 'main' | 'compiler', argument: string) => { program: string; args: string[] }
  /**
   * Gives a runner its low priority, as soon as there is one: even its start must not hold up the API. In a hurry it gets
   * an ordinary one, where the system lets us.
   */
  settle: (pid: number, hurry?: boolean) => void
  /** Where the watchdog looks at processes. */
  procPath: string
  remove: () => void
}

/** What the jail is built on; a test may take parts of it away. */
export type JailSystem = {
  platform: NodeJS.Platform
  root: boolean
  procPath: string
  installed: RunnerImage
  /** Whether a command of the system, such as `unshare`, ends well. */
  succeeds: (command: readonly string[]) => boolean
}

/** nobody: owns no files and runs no services. */
const systemUser = 65_534
const niceness = 10
const dropAll = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const otherUser = [`--reuid=${systemUser}`, `--regid=${systemUser}`, '--clear-groups']

const succeeds = ([program = '', ...args]: readonly string[]) =>
  spawnSync(program, args, { stdio: 'ignore', timeout: 5_000 }).status === 0

const thisSystem = (): JailSystem => ({
  platform: process.platform,
  root: process.platform === 'linux' && process.getuid?.() === 0,
  procPath: '/proc',
  installed: installedImage(),
  succeeds,
})

/**
 * Finds out what this system allows and builds the strictest jail it can. What cannot be had is named in the report and
 * never stops the start: the runner holds no credential and is judged from outside in any case.
 */
export function buildJail(changes: Partial<JailSystem> = {}): Jail {
  const system = { ...thisSystem(), ...changes }
  const { root, succeeds } = system
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
  const linux = system.platform === 'linux'
  const why = linux ? 'this system does not allow it' : `there is none on ${system.platform}`

  const network = root ? ['unshare', '-n', '--'] : ['unshare', '-Urn', '--']
  const wrapper: string[] = []
  if (note(linux && succeeds([...network, 'true']), 'empty network namespace', why)) wrapper.push(...network)
  const privileges = ['setpriv', ...dropAll]
  const holdsPrivileges = linux && succeeds([...wrapper, ...privileges, '--', 'true'])
  if (note(holdsPrivileges, 'no new privileges, no capabilities', why)) wrapper.push(...privileges)

  const image = chooseImage(system, wrapper, root && holdsPrivileges, report)
  if (holdsPrivileges) wrapper.push('--')
  report.inForce.push(`nice ${niceness}`)
  const seesProcesses = existsSync(`${system.procPath}/self/stat`)
  note(
    seesProcesses,
    'CPU time and memory watched from outside',
    `there is no ${system.procPath}, silence alone is judged`,
  )
  const { procPath } = system
  return { report, command: commandFor(image, wrapper), settle: setNiceness, procPath, remove: image.remove }
}

/** Takes the runner's files from where that user can read them; adds the change of user to the wrapper. */
function chooseImage(system: JailSystem, wrapper: string[], canChange: boolean, report: JailReport): RunnerImage {
  const { installed, succeeds } = system
  if (!canChange) {
    report.missing.push(`own system user: ${system.root ? 'setpriv does not work here' : 'the supervisor is not root'}`)
    return installed
  }
  const starts = (image: RunnerImage) => {
    const reads = image.needed.map((path) => `require('node:fs').accessSync(${JSON.stringify(path)})`)
    return succeeds([...wrapper, ...otherUser, '--', image.node, '-e', reads.join(';')])
  }
  if (starts(installed)) {
    wrapper.push(...otherUser)
    report.inForce.push(`own system user (${systemUser})`)
    return installed
  }
  const copied = copiedImage()
  if (starts(copied)) {
    wrapper.push(...otherUser)
    report.inForce.push(`own system user (${systemUser}), from a copy of the runner`)
    return copied
  }
  copied.remove()
  report.missing.push('own system user: it can read neither the checkout nor a copy')
  return installed
}

function commandFor(image: RunnerImage, wrapper: string[]): Jail['command'] {
  return (script, argument) => {
    const node = [
      image.node,
      '--no-node-snapshot',
      // Leaves room between V8's stack limit and the thread's: recursion to the edge, then eval, crashed without.
      '--stack-size=700',
      '--permission',
      '--allow-addons',
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
      ...image.readable.map((path) => `--allow-fs-read=${path}`),
      image[script],
      argument,
    ]
    const [program = '', ...args] = [...wrapper, ...node]
    return { program, args }
  }
}

function setNiceness(pid: number, hurry = false): void {
  try {
    setPriority(pid, hurry ? 0 : niceness)
  } catch {
    // The process has ended already, or only root may give priority back: it goes on as it is.
  }
}
