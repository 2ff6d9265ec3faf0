import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

export type Spawned = { child: ChildProcess; pid: number } | { child?: never; why: Promise<Error> }

/**
 * Starts a program, or tells why the system did not. Of a process Node could not start it says so later, in an event, and where
 * descriptors are missing it has made no pipes either: `stdio`, which its types promise, is not there. Where memory is
 * missing it throws.
 */
export function spawnProcess(program: string, args: readonly string[], options: SpawnOptions): Spawned {
  try {
    const child = spawn(program, args, options)
    if (child.pid !== undefined) return { child, pid: child.pid }
    for (const pipe of child.stdio ?? []) pipe?.on('error', () => {})
    return { why: new Promise((resolve) => child.once('error', resolve)) }
  } catch (error) {
    return { why: Promise.resolve(error as Error) }
  }
}
