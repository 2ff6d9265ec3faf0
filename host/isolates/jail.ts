import { spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'
import { copiedImage, installedImage, type RunnerImage } from './runner-image.ts'

/** What holds a runner, in words for the start log. */
export type JailReport = { inForce: string[]; missing: string[] }

export type Jail = {
  report: JailReport
  /** The program and arguments that start a runner's script under everything in force. */
  command: (script: 'main' | 'compiler', argument: string) => { program: string; args: string[] }
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

/**
 * Finds out what this system allows and builds the strictest jail it can. What cannot be had is named in the report and
 * never stops the start: the runner holds no credential and is judged from outside in any case.
 */
export function buildJail(): Jail {
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

  const image = chooseImage(wrapper, root && holdsPrivileges, report, root ? why : 'the supervisor is not root')
  if (holdsPrivileges) wrapper.push('--')
  report.inForce.push(`nice ${niceness}`)
  return { report, command: commandFor(image, wrapper), settle: lowerPriority, remove: image.remove }
}

/** Takes the runner's files from where that user can read them; adds the change of user to the wrapper. */
function chooseImage(wrapper: string[], canChange: boolean, report: JailReport, why: string): RunnerImage {
  const installed = installedImage()
  if (!canChange) {
    report.missing.push(`own system user: ${why}`)
    return installed
  }
  const starts = (image: RunnerImage) => {
    const script = `require('node:fs').accessSync(${JSON.stringify(image.main)})`
    const nested = image.readable.slice(0, 3).map((path) => `require('node:fs').accessSync(${JSON.stringify(path)})`)
    return succeeds([...wrapper, ...otherUser, '--', image.node, '-e', [script, ...nested].join(';')])
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

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has ended already: its exit is reported elsewhere.
  }
}
