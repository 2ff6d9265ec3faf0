import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { copyOf, readyDataFolder, readyFolder } from '../support/ready-folder.ts'
import { startHostProcess } from './started-host.ts'

/** How long others wait for who makes it, in milliseconds. */
const mostMs = 60_000

/**
 * A data folder in which a host started and stopped, for copying: made by the first of the run's processes that asks, while
 * the others wait. Undefined where nothing is kept between test files.
 */
export async function readyHost(args: '--samples' | '--no-samples'): Promise<string | undefined> {
  const root = readyFolder()
  if (root === undefined) return undefined
  const made = join(root, `host${args}`)
  const making = `${made}.making`
  for (const end = Date.now() + mostMs; !existsSync(made); ) {
    if (Date.now() > end) throw new Error(`${made} was not made within ${mostMs} ms`)
    if (!isMine(making)) {
      await pause(50)
      continue
    }
    try {
      if (!existsSync(made)) await make(made, args)
    } finally {
      rmSync(making, { recursive: true })
    }
  }
  return made
}

function isMine(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function make(target: string, args: '--samples' | '--no-samples'): Promise<void> {
  const samples = args === '--samples'
  const plain = samples ? await readyHost('--no-samples') : undefined
  const folder = plain ? copyOf(plain, 'partner-host-') : readyDataFolder('partner-host-')
  const host = await startHostProcess(folder, samples ? [] : [args])
  const { code, stderr } = await host.stop()
  if (code !== 0) throw new Error(`the host that was to be copied ended with ${code}: ${stderr}`)
  renameSync(folder, target)
}
