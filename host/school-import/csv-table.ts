import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'

/** A wrong row: where it stands and why it cannot be taken. */
export type Problem = { file: string; line: number; reason: string }

export type CsvRow = { line: number; fields: Record<string, string> }

/**
 * A file as it was read: the columns of its header, and the rows that are taken. `deleted`: the rows that are marked so, of
 * which the sourcedId alone is sure; `ids`: the sourcedIds of all rows, taken or not.
 */
export type CsvTable = {
  columns: readonly string[]
  rows: readonly CsvRow[]
  deleted: readonly CsvRow[]
  ids: ReadonlySet<string>
}

/** What is wrong: as many as a person can read, and how many there are in all. */
export type WrongRows = { list: Problem[]; total: number }

/** Collects what is wrong. */
export type Problems = WrongRows & { add(file: string, line: number, reason: string): void }

const maxProblems = 1_000

export function createProblems(): Problems {
  const problems: Problems = {
    list: [],
    total: 0,
    add(file, line, reason) {
      problems.total++
      if (problems.list.length < maxProblems) problems.list.push({ file, line, reason })
    },
  }
  return problems
}

type Parsed = { record: Record<string, string>; raw: string; info: { lines: number } }

/**
 * A CSV file (RFC 4180, UTF-8, with or without a byte order mark), each row with the line it begins on. Null where it cannot be
 * read: nobody knows which rows it has.
 */
export function readCsv(
  file: string,
  content: Buffer,
  required: readonly string[],
  problems: Problems,
): CsvTable | null {
  const text = decode(file, content, problems)
  if (text === null) return null
  let records: Parsed[]
  let columns: string[] = []
  try {
    // The parser counts a line's end of two characters within quotes as two lines.
    const lines = text.replaceAll('\r\n', '\n')
    records = parse(lines, {
      columns: (names: string[]) => {
        columns = names
        return names
      },
      info: true,
      raw: true,
      bom: true,
      skip_empty_lines: true,
      trim: true,
    }) as never
  } catch (error) {
    const { lines, message } = error as { lines?: number; message: string }
    problems.add(file, lines ?? 1, `not readable as CSV: ${message}`)
    return null
  }
  const missing = required.filter((column) => !columns.includes(column))
  for (const column of missing) problems.add(file, 1, `the column ${column} is missing`)
  // A row has one value by a name: the last one's. What a spreadsheet adds has none, and nobody reads it.
  const twice = new Set(columns.filter((column, index) => column !== '' && columns.indexOf(column) !== index))
  for (const column of twice) problems.add(file, 1, `the column ${column.slice(0, 80)} stands twice`)
  if (missing.length > 0 || twice.size > 0) return null
  const all = records.map(({ record, raw, info }) => ({
    line: info.lines - lineEndings(raw.trim()),
    fields: record,
  }))
  const isDeleted = ({ fields }: CsvRow) => fields.status?.toLowerCase() === 'tobedeleted'
  const rows = all.filter((row) => !isDeleted(row))
  return { columns, rows, deleted: all.filter(isDeleted), ids: idsOf(all) }
}

const idsOf = (rows: readonly CsvRow[]): Set<string> => new Set(rows.map(({ fields }) => fields.sourcedId ?? ''))

const lineEndings = (text: string): number => text.split('\n').length - 1

function decode(file: string, content: Buffer, problems: Problems): string | null {
  const text = content.toString('utf8')
  const nul = text.indexOf('\0')
  if (!isUtf8(content)) problems.add(file, firstBrokenLine(content), 'is not UTF-8')
  else if (nul !== -1) problems.add(file, lineEndings(text.slice(0, nul)) + 1, 'holds a NUL byte')
  else return text
  return null
}

/** No character spans two lines, so that a line can be judged alone. */
function firstBrokenLine(content: Buffer): number {
  let line = 1
  for (let start = 0; start < content.length; line++) {
    const end = content.indexOf('\n', start)
    const next = end === -1 ? content.length : end + 1
    if (!isUtf8(content.subarray(start, next))) return line
    start = next
  }
  return line
}
