import type { Finding } from '../../policy/finding.ts'
import { printable } from '../../policy/printable.ts'

/** A finding of the scan as an entry below what was scanned. */
export const findingLine = ({ severity, file, line, message, rule }: Finding): string =>
  printable(`  ${severity} ${file}:${line} ${message} (${rule})`)
