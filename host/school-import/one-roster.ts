import type { CsvRow, Problems } from './csv-table.ts'
import { recordIdOf } from './record-ids.ts'
import { isAbsent, known, readTables, rowsOf } from './tables.ts'
import { type ToldColumns, toldColumns } from './told-columns.ts'
import { dayOf, emailOf, listOf, nameOf, phoneOf, type Reading, required, textOf } from './values.ts'

const orgTypes = new Set(['department', 'school', 'district', 'local', 'state', 'national'])

type Record = { [column: string]: string | number | string[] | null }
export type SchoolRecords = {
  [table in
    | 'academic_years'
    | 'terms'
    | 'grades'
    | 'subjects'
    | 'sections'
    | 'guardians'
    | 'students'
    | 'employees']: Record[]
}

/** Of what is not in `told`, and not told by every export, the records hold nothing. `left`: the ids of pupils who left. */
export type SchoolExport = { records: SchoolRecords; told: ToldColumns; left: string[] }

/** The school's records as the files tell them. Every wrong row is added to `problems` with its file and line. */
export function readOneRoster(
  contents: ReadonlyMap<string, Buffer>,
  { tenantId, ...school }: { tenantId: string } & Pick<Reading, 'today' | 'callingCode'>,
  problems: Problems,
): SchoolExport {
  const tables = readTables(contents, problems)
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
  const years: Record[] = []
  const terms: Record[] = []
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

/** CEDS codes of grades: `01` to `13`, `KG`, `PK` and the like. Numbers become levels. */
function readGrades(reading: Reading): Record[] {
  const codes = new Set<string>()
  for (const file of ['users.csv', 'classes.csv'] as const)
    for (const { line, fields } of rowsOf(reading, file))
      for (const code of listOf(fields.grades)) {
        if (code.length > maxGradeCode) reading.problems.add(file, line, `grades holds no code: ${code.slice(0, 80)}`)
        codes.add(code)
      }
  return [...codes].sort().map((code) => ({
    id: reading.id('grade', code),
    name: isLevel(code) ? `Grade ${Number(code)}` : code,
    level: isLevel(code) ? Number(code) : 0,
  }))
}

const maxGradeCode = 64
const isLevel = (code: string): boolean => /^\d{1,2}$/.test(code)

function readSubjects(reading: Reading): Record[] {
  return rowsOf(reading, 'courses.csv').map((row) => ({
    id: reading.id('course', row.fields.sourcedId!),
    name: required(reading, 'courses.csv', row, 'title'),
    code: textOf(reading, 'courses.csv', row, 'courseCode', 64),
  }))
}

/** A section is a homeroom class; scheduled classes are lessons, which the school keeps elsewhere. */
function readSections(reading: Reading): Record[] {
  const courses = known(reading, 'courses.csv')
  const sections: Record[] = []
  for (const row of rowsOf(reading, 'classes.csv')) {
    const { classType, courseSourcedId } = row.fields
    if (classType !== 'homeroom' && classType !== 'scheduled')
      reading.problems.add('classes.csv', row.line, `classType is neither homeroom nor scheduled: ${classType}`)
    if (courseSourcedId && isAbsent(reading, 'courses.csv', courses, courseSourcedId))
      reading.problems.add('classes.csv', row.line, `no course ${courseSourcedId}`)
    if (classType !== 'homeroom') continue
    const [grade] = listOf(row.fields.grades)
    const name = required(reading, 'classes.csv', row, 'title')
    sections.push({
      id: reading.id('class', row.fields.sourcedId!),
      name,
      grade_id: grade ? reading.id('grade', grade) : null,
    })
  }
  return sections
}

const guardianRoles = new Set(['guardian', 'parent', 'relative'])
const employeeRoles = new Set(['teacher', 'administrator', 'aide', 'proctor'])
const isRole = (role: string): boolean => role === 'student' || guardianRoles.has(role) || employeeRoles.has(role)

function readPeople(reading: Reading): Pick<SchoolRecords, 'students' | 'guardians' | 'employees'> {
  const users = known(reading, 'users.csv')
  const orgs = known(reading, 'orgs.csv')
  const homerooms = homeroomsOfStudents(reading, users)
  const people = demographics(reading, users)
  const [students, guardians, employees]: Record[][] = [[], [], []]
  for (const row of users.values()) {
    const { role = '', sourcedId = '' } = row.fields
    for (const org of listOf(row.fields.orgSourcedIds))
      if (isAbsent(reading, 'orgs.csv', orgs, org)) reading.problems.add('users.csv', row.line, `no org ${org}`)
    const full_name = nameOf(reading, row)
    const email = emailOf(reading, row)
    if (role === 'student') {
      const [grade] = listOf(row.fields.grades)
      const homeroom = homerooms.get(sourcedId)
      students!.push({
        id: reading.id('student', sourcedId),
        full_name,
        released_at: null,
        national_id: textOf(reading, 'users.csv', row, 'identifier', 64),
        birth_date: people.get(sourcedId)?.birth_date ?? null,
        gender: people.get(sourcedId)?.gender ?? null,
        grade_id: grade ? reading.id('grade', grade) : null,
        section_id: homeroom ? reading.id('class', homeroom) : null,
        guardian_id: guardianOf(reading, users, row),
      })
    } else if (guardianRoles.has(role)) {
      guardians!.push({
        id: reading.id('guardian', sourcedId),
        full_name,
        phone: phoneOf(reading, row),
        email,
        relation: null,
      })
    } else if (employeeRoles.has(role)) {
      employees!.push({
        id: reading.id('employee', sourcedId),
        full_name,
        job_title: role,
        email,
        roles: [role],
      })
    } else reading.problems.add('users.csv', row.line, `role is not known: ${role}`)
  }
  return { students: students!, guardians: guardians!, employees: employees! }
}

/** Of a deleted row the id alone is sure: one of somebody else is no pupil's. */
function leftOf(reading: Reading): string[] {
  const users = known(reading, 'users.csv')
  const deleted = [...(reading.tables.get('users.csv')?.deleted ?? [])]
  return deleted.filter((sourcedId) => !users.has(sourcedId)).map((sourcedId) => reading.id('student', sourcedId))
}

function guardianOf(reading: Reading, users: Map<string, CsvRow>, row: CsvRow): string | null {
  let found: string | null = null
  for (const agent of listOf(row.fields.agentSourcedIds)) {
    const user = users.get(agent)
    if (!user) reading.problems.add('users.csv', row.line, `no user ${agent} (agentSourcedIds)`)
    else if (guardianRoles.has(user.fields.role!)) found ??= reading.id('guardian', agent)
  }
  return found
}

/**
 * A pupil who changed class has the enrolment before in the file too, and next year's may be there already: one that has ended,
 * its last day exclusive, or that has not begun places nobody. Of several the one that began last does.
 */
function homeroomsOfStudents(reading: Reading, users: Map<string, CsvRow>): Map<string, string> {
  const classes = known(reading, 'classes.csv')
  const current = new Map<string, { homeroom: string; beganOn: string }>()
  for (const row of rowsOf(reading, 'enrollments.csv')) {
    const { line, fields } = row
    const beganOn = dayOf(reading, 'enrollments.csv', row, 'beginDate') ?? ''
    const endsOn = dayOf(reading, 'enrollments.csv', row, 'endDate')
    const isCurrent = beganOn <= reading.today && (endsOn === null || endsOn > reading.today)
    const course = classes.get(fields.classSourcedId!)
    if (isAbsent(reading, 'classes.csv', classes, fields.classSourcedId!))
      reading.problems.add('enrollments.csv', line, `no class ${fields.classSourcedId}`)
    if (isAbsent(reading, 'users.csv', users, fields.userSourcedId!))
      reading.problems.add('enrollments.csv', line, `no user ${fields.userSourcedId}`)
    if (!isRole(fields.role!)) reading.problems.add('enrollments.csv', line, `role is not known: ${fields.role}`)
    if (fields.role !== 'student' || course?.fields.classType !== 'homeroom' || !isCurrent) continue
    if (beganOn >= (current.get(fields.userSourcedId!)?.beganOn ?? ''))
      current.set(fields.userSourcedId!, { homeroom: fields.classSourcedId!, beganOn })
  }
  return new Map([...current].map(([pupil, { homeroom }]) => [pupil, homeroom]))
}

function demographics(
  reading: Reading,
  users: Map<string, CsvRow>,
): Map<string, { birth_date: string | null; gender: string | null }> {
  const file = 'demographics.csv'
  const people = new Map<string, { birth_date: string | null; gender: string | null }>()
  for (const row of rowsOf(reading, file)) {
    if (isAbsent(reading, 'users.csv', users, row.fields.sourcedId!))
      reading.problems.add(file, row.line, `no user ${row.fields.sourcedId}`)
    const sex = (row.fields.sex ?? '').toLowerCase()
    if (!['', 'male', 'female', 'other', 'unspecified'].includes(sex))
      reading.problems.add(file, row.line, `sex is not known: ${sex}`)
    people.set(row.fields.sourcedId!, {
      birth_date: dayOf(reading, file, row, 'birthDate'),
      gender: sex === 'male' || sex === 'female' ? sex : null,
    })
  }
  return people
}
