import { text } from '../../partner-services/service/schemas.ts'
import type { CsvRow } from './csv-table.ts'
import type { SchoolRecord } from './one-roster.ts'
import { rowsOf } from './tables.ts'
import { listOf, type Reading, withLatinDigits } from './values.ts'

/** CEDS codes of grades: `01` to `13`, `KG`, `PK` and the like. Numbers become levels. */
export function readGrades(reading: Reading): SchoolRecord[] {
  const codes = new Set<string>()
  for (const file of ['users.csv', 'classes.csv'] as const)
    for (const row of rowsOf(reading, file))
      for (const code of gradesOf(row)) {
        if (!gradeCode.safeParse(code).success)
          reading.problems.add(file, row.line, `grades holds no code: ${code.slice(0, 80)}`)
        codes.add(code)
      }
  return [...codes].sort().map((code) => ({
    id: reading.id('grade', code),
    name: isLevel(code) ? `Grade ${Number(code)}` : code,
    level: isLevel(code) ? Number(code) : 0,
  }))
}

/** The grades of a row, each by the one code that its number has: a spreadsheet drops the 0 before it. */
export const gradesOf = ({ fields }: CsvRow): string[] =>
  listOf(fields.grades).map((code) => {
    const latin = withLatinDigits(code)
    return isLevel(latin) ? latin.padStart(2, '0') : code.normalize('NFC')
  })

const gradeCode = text(64)
const isLevel = (code: string): boolean => /^\d{1,2}$/.test(code)
