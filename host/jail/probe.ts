import { spawnSync } from 'node:child_process'

const patienceMs = 30_000
/** The system has no such program, or none for us. */
const absent = new Set(['ENOENT', 'EACCES'])

/**
 * Whether a command of the system, such as `unshare`, ends well. Throws where that is not known, since it took too long, was
 * killed, or there was no process left for it: a wall is missing only where the system says so, never for a bad moment.
 */
export function succeeds([program = '', ...args]: readonly string[], timeout = patienceMs): boolean {
  const { status, signal, error } = spawnSync(program, args, { stdio: 'ignore', timeout, killSignal: 'SIGKILL' })
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== undefined && absent.has(code)) return false
  if (error || status === null) throw new Error(`whether ${program} works here is not known (${code ?? signal})`)
  return status === 0
}
