import { parentPort, workerData } from 'node:worker_threads'
import type { ScanReport } from '../finding.ts'
import { type ScanInput, scanFolder } from './scan-folder.ts'

export type ScanAnswer = { readonly report: ScanReport } | { readonly error: string }

const { folder, input } = workerData as { folder: string; input: ScanInput }

parentPort?.postMessage(await answer())

async function answer(): Promise<ScanAnswer> {
  try {
    return { report: await scanFolder(folder, input) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
