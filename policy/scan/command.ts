import type { ScanReport } from '../finding.ts'
import { printableEntry } from '../printable.ts'
import { type ScanInput, scan } from './scan.ts'

export type ScanOptions = ScanInput & { readonly dir: string; readonly format?: string }
export type ScanStreams = { readonly out: (text: string) => void; readonly error: (text: string) => void }

type Format = (report: ScanReport) => string

/** Loaded when asked for: only one of them needs the registry of rules. */
const formats = {
  text: async (): Promise<Format> => (await import('./formats/text.ts')).formatText,
  json: async (): Promise<Format> => (await import('./formats/json.ts')).formatJson,
  sarif: async (): Promise<Format> => (await import('./formats/sarif.ts')).formatSarif,
}

/** `partner scan`: 0 clean or warnings, 1 errors, 2 could not run. */
export async function runScan(options: ScanOptions, streams: ScanStreams): Promise<0 | 1 | 2> {
  const format = options.format ?? 'text'
  if (!isFormat(format)) {
    streams.error(`partner scan: --format takes ${Object.keys(formats).join(', ')}, not ${format}\n`)
    return 2
  }
  try {
    const { dir, format: _, ...input } = options
    const report = await scan(dir, input)
    const write = await formats[format]()
    streams.out(write(report))
    return report.findings.some((finding) => finding.severity === 'error') ? 1 : 0
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    streams.error(`${printableEntry(`partner scan: ${message}`)}\n`)
    return 2
  }
}

function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name)
}
