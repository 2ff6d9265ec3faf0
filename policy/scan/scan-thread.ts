import { parentPort, workerData } from 'node:worker_threads'
import type { ScanReport } from '../finding.ts'
import { defaultLimits } from './limits.ts'
import { createPool } from './pool.ts'
import type { ScanInput } from './scan-folder.ts'

export type ScanAnswer = { readonly report: ScanReport } | { readonly error: string }

const { folder, input } = workerData as { folder: string; input: ScanInput }
// The parser takes longest to load: its thread starts before this one has loaded the rest.
const limits = { ...defaultLimits, ...input.limits }
const pool = createPool(limits)

parentPort?.postMessage(await answer())

async function answer(): Promise<ScanAnswer> {
  try {
    const { scanFolder } = await import('./scan-folder.ts')
    return { report: await scanFolder(folder, input, limits, pool) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  } finally {
    await pool.close()
  }
}
