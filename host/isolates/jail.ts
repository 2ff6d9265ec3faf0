import { spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'
import { copiedImage, installedImage, type JailImage } from './runner-image.ts'

/** What holds a runner, in words for the start log. */
export type JailReport = { inForce: string[]; missing: string[] }

export type Jail<Script extends string = 'main' | 'compiler'> = {
  report: JailReport
  /** The system user of its processes, where it is not our own: files for them must belong to it. */
  user: number | null
  /** The program and arguments that start a script under everything in force. `readable`: folders besides the image's. */
  command: (script: Script, argument: string, readable?: readonly string[]) => { program: string; args: string[] }
  /** Called with the process id as soon as there is one: even its start must not hold up the API. */
  settle: (pid: number) => void
  remove: () => void
}

/** nobody: owns no files and runs no services. */
const systemUser = 65_534
const niceness = 10
const dropAll = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const otherUser = [`--reuid=${systemUser}`, `--regid=${systemUser}`, '--clear-groups']

const succeeds = ([program = '', ...args]: string[]) =>
  spawnSync(program, args, { stdio: 'ignore', timeout: 5_000 }).status === 0

/** Where a jail's files come from. Without `copied` a checkout that is closed to the other user means no other user. */
export type JailImages<Script extends string> = {
  installed: () => JailImage<Script>
  copied?: () => JailImage<Script>
}

const runnerImages: JailImages<'main' | 'compiler'> = { installed: installedImage, copied: copiedImage }

/** The jail of runners. */
export const buildJail = (): Jail => buildJailFor(runnerImages)

/**
 * Finds out what this system allows and builds the strictest jail it can. What cannot be had is named in the report and
 * never stops the start: jailed processes hold no credential and are judged from outside in any case.
 */
export function buildJailFor<Script extends string>(images: JailImages<Script>): Jail<Script> {
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
  const linux = process.platform === 'linux'
  const root = linux && process.getuid?.() === 0
  const why = linux ? 'this system does not allow it' : `there is none on ${process.platform}`

  const network = root ? ['unshare', '-n', '--'] : ['unshare', '-Urn', '--']
  const wrapper: string[] = []
  if (note(linux && succeeds([...network, 'true']), 'empty network namespace', why)) wrapper.push(...network)
  const privileges = ['setpriv', ...dropAll]
  const holdsPrivileges = linux && succeeds([...wrapper, ...privileges, '--', 'true'])
  if (note(holdsPrivileges, 'no new privileges, no capabilities', why)) wrapper.push(...privileges)

  const image = chooseImage(images, wrapper, root && holdsPrivileges, report, root ? why : 'the supervisor is not root')
  const user = wrapper.includes(otherUser[0]!) ? systemUser : null
  if (holdsPrivileges) wrapper.push('--')
  report.inForce.push(`nice ${niceness}`)
  return { report, user, command: commandFor(image, wrapper), settle: lowerPriority, remove: image.remove }
}

/** Takes the image's files from where that user can read them; adds the change of user to the wrapper. */
function chooseImage<Script extends string>(
  images: JailImages<Script>,
  wrapper: string[],
  canChange: boolean,
  report: JailReport,
  why: string,
): JailImage<Script> {
  const installed = images.installed()
  if (!canChange) {
    report.missing.push(`own system user: ${why}`)
    return installed
  }
  const starts = (image: JailImage<Script>) => {
    const paths = [...Object.values<string>(image.scripts), ...image.readable.slice(0, 3)]
    const script = paths.map((path) => `require('node:fs').accessSync(${JSON.stringify(path)})`).join(';')
    return succeeds([...wrapper, ...otherUser, '--', image.node, '-e', script])
  }
  if (starts(installed)) {
    wrapper.push(...otherUser)
    report.inForce.push(`own system user (${systemUser})`)
    return installed
  }
  const copied = images.copied?.()
  if (copied && starts(copied)) {
    wrapper.push(...otherUser)
    report.inForce.push(`own system user (${systemUser}), from a copy of the runner`)
    return copied
  }
  copied?.remove()
  report.missing.push('own system user: it can read neither the checkout nor a copy')
  return installed
}

function commandFor<Script extends string>(image: JailImage<Script>, wrapper: string[]): Jail<Script>['command'] {
  return (script, argument, readable = []) => {
    const node = [
      image.node,
      '--no-node-snapshot',
      '--permission',
      ...image.flags,
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
      ...[...image.readable, ...readable].map((path) => `--allow-fs-read=${path}`),
      image.scripts[script],
      argument,
    ]
    const [program = '', ...args] = [...wrapper, ...node]
    return { program, args }
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has ended already: its exit is reported elsewhere.
  }
}
