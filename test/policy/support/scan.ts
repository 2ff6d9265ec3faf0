import { after } from 'node:test'
import type { ScanReport } from '../../../policy/finding.ts'
import { createScanner, type LimitedScan, scan as scanOnce } from '../../../policy/scan/scan.ts'

const scanner = createScanner()
after(() => scanner.close())

/** A scan with the one parser of its test file, which takes longer to load than to scan; with its own limits, alone. */
export const scan = (folder: string, { limits, ...input }: LimitedScan): Promise<ScanReport> =>
  limits ? scanOnce(folder, { limits, ...input }) : scanner.scan(folder, input)
