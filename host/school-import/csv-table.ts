import { parse } from 'csv-parse/sync'

/** A wrong row: where it stands and why it cannot be taken. */
export type Problem = { file: string; line: number; reason: string }

export type CsvRow = { line: number; fields: Record<string, string> }

/** Collects what is wrong, up to a number that a person can read. */
export type Problems = { list: Problem[]; add(file: string, line: number, reason: string): void }

const maxProblems = 1_000

export function createProblems(): Problems {
  const list: Problem[] = []
  return {
    list,
    add(file, line, reason) {
      if (list.length < maxProblems) list.push({ file, line, reason })
    },
  }
}

/** The rows of a CSV file (RFC 4180, UTF-8, with or without a byte order mark), each with the line it begins on. */
export function readCsv(file: string, content: Buffer, required: readonly string[], problems: Problems): CsvRow[] {
  const text = decode(file, content, problems)
  if (text === null) return []
  let records: { record: Record<string, string>; info: { lines: number } }[]
  try {
    records = parse(text, { columns: true, info: true, bom: true, skip_empty_lines: true, trim: true }) as never
  } catch (error) {
    const { lines, message } = error as { lines?: number; message: string }
    problems.add(file, lines ?? 1, `not readable as CSV: ${message}`)
    return []
  }
  const missing = required.filter((column) => records[0] && !(column in records[0].record))
  for (const column of missing) problems.add(file, 1, `the column ${column} is missing`)
  if (missing.length > 0) return []
  return records
    .map(({ record, info }) => ({ line: info.lines, fields: record }))
    .filter(({ fields }) => fields.status !== 'tobedeleted')
}

function decode(file: string, content: Buffer, problems: Problems): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    const nul = text.indexOf('\0')
    if (nul === -1) return text
    problems.add(file, text.slice(0, nul).split('\n').length, 'holds a NUL byte')
  } catch {
    problems.add(file, 1, 'is not UTF-8')
  }
  return null
}
