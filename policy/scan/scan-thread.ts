import { parentPort, workerData } from 'node:worker_threads'
import type { ScanReport } from '../finding.ts'
import type { ScanLimits } from './limits.ts'
import { createPool } from './pool.ts'
import type { ScanInput } from './scan-folder.ts'

export type ScanRequest = { readonly folder: string; readonly input: ScanInput }
export type ScanAnswer = { readonly report: ScanReport } | { readonly error: string }

const limits = workerData as ScanLimits
// The parser takes longest to load: its thread starts before this one has loaded the rest.
const pool = createPool(limits)

parentPort?.on('message', async (request: ScanRequest) => parentPort?.postMessage(await answer(request)))

async function answer({ folder, input }: ScanRequest): Promise<ScanAnswer> {
  try {
    const { scanFolder } = await import('./scan-folder.ts')
    return { report: await scanFolder(folder, input, limits, pool) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
