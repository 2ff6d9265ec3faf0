import { formatJson } from './formats/json.ts'
import { formatSarif } from './formats/sarif.ts'
import { formatText } from './formats/text.ts'
import { type ScanInput, scan } from './scan.ts'

export type ScanOptions = ScanInput & { readonly dir: string; readonly format?: string }
export type ScanStreams = { readonly out: (text: string) => void; readonly error: (text: string) => void }

const formats = { text: formatText, json: formatJson, sarif: formatSarif }

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
    streams.out(formats[format](report))
    return report.findings.some((finding) => finding.severity === 'error') ? 1 : 0
  } catch (error) {
    streams.error(`partner scan: ${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name)
}
