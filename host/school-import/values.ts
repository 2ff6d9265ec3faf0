import type { z } from 'zod'
import { day, email, phone, text } from '../../partner-services/service/schemas.ts'
import type { CsvRow, Problems } from './csv-table.ts'
import type { FileName } from './files.ts'
import type { Tables } from './tables.ts'

export type Reading = {
  tables: Tables
  id: (kind: string, sourcedId: string) => string
  problems: Problems
  /** The school's day, YYYY-MM-DD. */
  today: string
  /** What numbers of the school's country begin with; null where that is not known. */
  callingCode: string | null
}

/** Several values in one cell. */
export const listOf = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** A column may hold what an app could have written by the service layer: one schema says it for both. */
function checked(
  reading: Reading,
  file: FileName,
  row: CsvRow,
  column: string,
  schema: z.ZodType<string>,
  not: string,
) {
  const cell = (row.fields[column] ?? '').trim()
  if (cell === '') return null
  const parsed = schema.safeParse(cell)
  if (parsed.success) return parsed.data
  reading.problems.add(file, row.line, `${column} is ${not}: ${cell.slice(0, 80)}`)
  return null
}

export const dayOf = (reading: Reading, file: FileName, row: CsvRow, column: string): string | null =>
  checked(reading, file, row, column, day, 'no day (YYYY-MM-DD)')

export const emailOf = (reading: Reading, row: CsvRow): string | null =>
  checked(reading, 'users.csv', row, 'email', email, 'no e-mail address')

export function textOf(reading: Reading, file: FileName, row: CsvRow, column: string, max = 255): string | null {
  const isLong = (row.fields[column] ?? '').trim().normalize('NFC').length > max
  const not = isLong ? `longer than ${max} characters` : 'no text that can be seen'
  return checked(reading, file, row, column, text(max), not)
}

/** An empty text where it is missing: nothing of an import with a problem is kept. */
export function required(reading: Reading, file: FileName, row: CsvRow, column: string): string {
  if (!row.fields[column]?.trim()) reading.problems.add(file, row.line, `${column} is empty`)
  return textOf(reading, file, row, column) ?? ''
}

export function nameOf(reading: Reading, row: CsvRow): string {
  const file = 'users.csv'
  const given = required(reading, file, row, 'givenName')
  const family = required(reading, file, row, 'familyName')
  const name = [given, textOf(reading, file, row, 'middleName'), family].filter(Boolean).join(' ')
  if (name.length > 255) reading.problems.add(file, row.line, 'the whole name is longer than 255 characters')
  return name
}

/** The international prefix that ITU-T recommends. */
const dialledAbroad = /^00/

/** Digits may be typed on an Arabic or a Persian keyboard. */
export const withLatinDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

/**
 * A guardian must be reachable: the mobile number, else the other one, in the international form, of which a spreadsheet may
 * have dropped the plus. Then it begins with the code of the school's own country: the first digits of a mobile number whose 0
 * was dropped are another country's.
 */
export function phoneOf(reading: Reading, row: CsvRow): string {
  const cells = [row.fields.sms, row.fields.phone].flatMap((cell) => cell || [])
  for (const cell of cells) {
    const number = withLatinDigits(cell)
    const isOwnCountrys = reading.callingCode !== null && number.startsWith(reading.callingCode)
    const parsed = phone.safeParse(isOwnCountrys ? `+${number}` : number.replace(dialledAbroad, '+'))
    if (parsed.success) return parsed.data
  }
  reading.problems.add(
    'users.csv',
    row.line,
    cells.length === 0
      ? 'a guardian needs sms or phone'
      : `no valid phone number, write it with its country code (+966…): ${cells[0]!.slice(0, 80)}`,
  )
  return ''
}
