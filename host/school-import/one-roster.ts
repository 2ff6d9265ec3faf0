import type { CsvRow, Problems } from './csv-table.ts'
import { recordIdOf } from './record-ids.ts'
import { gradesOf, readGrades } from './grades.ts'
import { leftOf, readPeople } from './people.ts'
import { ofOneSchool } from './one-school.ts'
import { isAbsent, known, readTables, rowsOf } from './tables.ts'
import { type ToldColumns, toldColumns } from './told-columns.ts'
import { dayOf, type Reading, required, textOf } from './values.ts'

const orgTypes = new Set(['department', 'school', 'district', 'local', 'state', 'national'])

export type SchoolRecord = { [column: string]: string | number | string[] | null }
export type SchoolRecords = {
  [table in
    | 'academic_years'
    | 'terms'
    | 'grades'
    | 'subjects'
    | 'sections'
    | 'guardians'
    | 'students'
    | 'employees']: SchoolRecord[]
}

/** Of what is not in `told`, and not told by every export, the records hold nothing. `left`: the ids of pupils who left. */
export type SchoolExport = { records: SchoolRecords; told: ToldColumns; left: string[] }

/** `org`: which school of several is taken. */
type SchoolAsked = { tenantId: string; org?: string | undefined } & Pick<Reading, 'today' | 'callingCode'>

/** The school's records as the files tell them. Every wrong row is added to `problems` with its file and line. */
export function readOneRoster(
  contents: ReadonlyMap<string, Buffer>,
  { tenantId, org, ...school }: SchoolAsked,
  problems: Problems,
): SchoolExport {
  const tables = ofOneSchool(readTables(contents, problems), org, problems)
  const id: Reading['id'] = (kind, sourcedId) => recordIdOf(tenantId, kind, sourcedId)
  const reading: Reading = { tables, problems, ...school, id }
  checkOrgs(reading)
  const grades = readGrades(reading)
  const sections = readSections(reading)
  const subjects = readSubjects(reading)
  return {
    records: { ...readSessions(reading), grades, subjects, sections, ...readPeople(reading) },
    told: toldColumns(tables),
    left: leftOf(reading),
  }
}

function checkOrgs(reading: Reading): void {
  for (const { line, fields } of rowsOf(reading, 'orgs.csv'))
    if (!orgTypes.has(fields.type!))
      reading.problems.add('orgs.csv', line, `type is none of ${[...orgTypes].join(', ')}: ${fields.type}`)
}

function readSessions(reading: Reading): Pick<SchoolRecords, 'academic_years' | 'terms'> {
  const file = 'academicSessions.csv'
  const sessions = known(reading, file)
  const years: SchoolRecord[] = []
  const terms: SchoolRecord[] = []
  for (const row of sessions.values()) {
    const [starts_on, ends_on] = [dayOf(reading, file, row, 'startDate'), dayOf(reading, file, row, 'endDate')]
    if (!starts_on || !ends_on || ends_on < starts_on) {
      reading.problems.add(file, row.line, 'startDate and endDate must both be given, in order')
      continue
    }
    const record = { id: reading.id('session', row.fields.sourcedId!), name: required(reading, file, row, 'title') }
    if (row.fields.type === 'schoolYear') years.push({ ...record, starts_on, ends_on })
    else if (['term', 'semester', 'gradingPeriod'].includes(row.fields.type!)) {
      const parent = yearAbove(sessions, row)
      if (parent) terms.push({ ...record, academic_year_id: reading.id('session', parent) })
      else
        reading.problems.add(
          file,
          row.line,
          `parentSourcedId leads to no schoolYear: ${row.fields.parentSourcedId ?? ''}`,
        )
    } else
      reading.problems.add(
        file,
        row.line,
        `type is none of schoolYear, semester, term, gradingPeriod: ${row.fields.type}`,
      )
  }
  return { academic_years: years, terms }
}

function yearAbove(sessions: Map<string, CsvRow>, row: CsvRow): string | null {
  let current: CsvRow | undefined = row
  for (let depth = 0; depth < 5 && current; depth++) {
    if (current.fields.type === 'schoolYear') return current.fields.sourcedId!
    current = sessions.get(current.fields.parentSourcedId ?? '')
  }
  return null
}

function readSubjects(reading: Reading): SchoolRecord[] {
  return rowsOf(reading, 'courses.csv').map((row) => ({
    id: reading.id('course', row.fields.sourcedId!),
    name: required(reading, 'courses.csv', row, 'title'),
    code: textOf(reading, 'courses.csv', row, 'courseCode', 64),
  }))
}

/** A section is a homeroom class; scheduled classes are lessons, which the school keeps elsewhere. */
function readSections(reading: Reading): SchoolRecord[] {
  const sections: SchoolRecord[] = []
  for (const row of rowsOf(reading, 'classes.csv')) {
    const { classType, courseSourcedId } = row.fields
    if (classType !== 'homeroom' && classType !== 'scheduled')
      reading.problems.add('classes.csv', row.line, `classType is neither homeroom nor scheduled: ${classType}`)
    if (courseSourcedId && isAbsent(reading, 'courses.csv', courseSourcedId))
      reading.problems.add('classes.csv', row.line, `no course ${courseSourcedId}`)
    if (classType !== 'homeroom') continue
    const [grade] = gradesOf(row)
    const name = required(reading, 'classes.csv', row, 'title')
    sections.push({
      id: reading.id('class', row.fields.sourcedId!),
      name,
      grade_id: grade ? reading.id('grade', grade) : null,
    })
  }
  return sections
}
