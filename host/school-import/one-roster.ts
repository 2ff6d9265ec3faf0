import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { type CsvRow, type Problems, readCsv } from './csv-table.ts'
import { recordIdOf } from './record-ids.ts'

/** Files of OneRoster 1.1 (IMS Global, CSV binding) that are read, and the columns they must have. */
const files = {
  'orgs.csv': ['sourcedId', 'name', 'type'],
  'academicSessions.csv': ['sourcedId', 'title', 'type', 'startDate', 'endDate'],
  'courses.csv': ['sourcedId', 'title'],
  'classes.csv': ['sourcedId', 'title', 'classType'],
  'users.csv': ['sourcedId', 'role', 'givenName', 'familyName'],
  'enrollments.csv': ['sourcedId', 'classSourcedId', 'userSourcedId', 'role'],
  'demographics.csv': ['sourcedId'],
} as const

type FileName = keyof typeof files
const requiredFiles: FileName[] = ['orgs.csv', 'users.csv']

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

type Reading = {
  tables: Map<FileName, CsvRow[]>
  id: (kind: string, sourcedId: string) => string
  problems: Problems
}

/** The school's records as the files tell them. Every wrong row is added to `problems` with its file and line. */
export function readOneRoster(
  contents: ReadonlyMap<string, Buffer>,
  tenantId: string,
  problems: Problems,
): SchoolRecords {
  for (const name of requiredFiles) if (!contents.has(name)) problems.add(name, 1, 'the file is missing')
  const tables = new Map<FileName, CsvRow[]>()
  for (const [name, columns] of Object.entries(files) as [FileName, readonly string[]][]) {
    const content = contents.get(name)
    tables.set(name, content ? unique(name, readCsv(name, content, columns, problems), problems) : [])
  }
  const reading: Reading = { tables, problems, id: (kind, sourcedId) => recordIdOf(tenantId, kind, sourcedId) }
  const grades = readGrades(reading)
  const sections = readSections(reading)
  return { ...readSessions(reading), grades, subjects: readSubjects(reading), sections, ...readPeople(reading) }
}

function unique(file: FileName, rows: CsvRow[], problems: Problems): CsvRow[] {
  const seen = new Map<string, number>()
  for (const { line, fields } of rows) {
    const sourcedId = fields.sourcedId ?? ''
    if (sourcedId === '') problems.add(file, line, 'sourcedId is empty')
    else if (seen.has(sourcedId))
      problems.add(file, line, `sourcedId ${sourcedId} stands on line ${seen.get(sourcedId)} too`)
    else seen.set(sourcedId, line)
  }
  return rows
}

const rowsOf = ({ tables }: Reading, file: FileName): CsvRow[] => tables.get(file) ?? []
const known = (reading: Reading, file: FileName): Map<string, CsvRow> =>
  new Map(rowsOf(reading, file).map((row) => [row.fields.sourcedId!, row]))
const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

function dayOf(reading: Reading, file: FileName, row: CsvRow, column: string): string | null {
  const text = row.fields[column] ?? ''
  if (text === '') return null
  const date = new Date(`${text}T00:00:00Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && date.toISOString().startsWith(text)) return text
  reading.problems.add(file, row.line, `${column} is no day (YYYY-MM-DD): ${text}`)
  return null
}

function required(reading: Reading, file: FileName, row: CsvRow, column: string): string {
  const text = (row.fields[column] ?? '').normalize('NFC')
  if (text === '') reading.problems.add(file, row.line, `${column} is empty`)
  if (text.length > 255) reading.problems.add(file, row.line, `${column} is longer than 255 characters`)
  return text
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
  const codes = new Set(
    [...rowsOf(reading, 'users.csv'), ...rowsOf(reading, 'classes.csv')].flatMap(({ fields }) => listOf(fields.grades)),
  )
  return [...codes].sort().map((code) => ({
    id: reading.id('grade', code),
    name: /^\d+$/.test(code) ? `Grade ${Number(code)}` : code,
    level: /^\d+$/.test(code) ? Number(code) : 0,
  }))
}

function readSubjects(reading: Reading): Record[] {
  return rowsOf(reading, 'courses.csv').map((row) => ({
    id: reading.id('course', row.fields.sourcedId!),
    name: required(reading, 'courses.csv', row, 'title'),
    code: row.fields.courseCode || null,
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
    if (courseSourcedId && !courses.has(courseSourcedId))
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
const employeeRoles: { [role: string]: string } = {
  teacher: 'teacher',
  administrator: 'administrator',
  aide: 'aide',
  proctor: 'proctor',
}

function readPeople(reading: Reading): Pick<SchoolRecords, 'students' | 'guardians' | 'employees'> {
  const users = known(reading, 'users.csv')
  const orgs = known(reading, 'orgs.csv')
  const homerooms = homeroomsOfStudents(reading, users)
  const people = demographics(reading, users)
  const [students, guardians, employees]: Record[][] = [[], [], []]
  for (const row of users.values()) {
    const { role = '', sourcedId = '' } = row.fields
    for (const org of listOf(row.fields.orgSourcedIds))
      if (!orgs.has(org)) reading.problems.add('users.csv', row.line, `no org ${org}`)
    const full_name = nameOf(reading, row)
    const email = row.fields.email || null
    if (role === 'student') {
      const [grade] = listOf(row.fields.grades)
      const homeroom = homerooms.get(sourcedId)
      students!.push({
        id: reading.id('student', sourcedId),
        full_name,
        national_id: row.fields.identifier || null,
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
    } else if (Object.hasOwn(employeeRoles, role)) {
      employees!.push({
        id: reading.id('employee', sourcedId),
        full_name,
        job_title: role,
        email,
        roles: [employeeRoles[role]!],
      })
    } else reading.problems.add('users.csv', row.line, `role is not known: ${role}`)
  }
  return { students: students!, guardians: guardians!, employees: employees! }
}

function nameOf(reading: Reading, row: CsvRow): string {
  const given = required(reading, 'users.csv', row, 'givenName')
  const family = required(reading, 'users.csv', row, 'familyName')
  return [given, row.fields.middleName, family].filter(Boolean).join(' ').normalize('NFC')
}

/** A guardian must be reachable: the mobile number, else the other one, in the international form. */
function phoneOf(reading: Reading, row: CsvRow): string {
  const text = row.fields.sms || row.fields.phone || ''
  const phone = parsePhoneNumberFromString(text.startsWith('+') ? text : `+${text}`)
  if (phone?.isValid()) return phone.number
  reading.problems.add(
    'users.csv',
    row.line,
    text === '' ? 'a guardian needs sms or phone' : `no valid phone number with its country code: ${text}`,
  )
  return ''
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

function homeroomsOfStudents(reading: Reading, users: Map<string, CsvRow>): Map<string, string> {
  const classes = known(reading, 'classes.csv')
  const homerooms = new Map<string, string>()
  for (const { line, fields } of rowsOf(reading, 'enrollments.csv')) {
    const course = classes.get(fields.classSourcedId!)
    if (!course) reading.problems.add('enrollments.csv', line, `no class ${fields.classSourcedId}`)
    if (!users.has(fields.userSourcedId!))
      reading.problems.add('enrollments.csv', line, `no user ${fields.userSourcedId}`)
    if (fields.role === 'student' && course?.fields.classType === 'homeroom')
      homerooms.set(fields.userSourcedId!, fields.classSourcedId!)
  }
  return homerooms
}

function demographics(
  reading: Reading,
  users: Map<string, CsvRow>,
): Map<string, { birth_date: string | null; gender: string | null }> {
  const file = 'demographics.csv'
  const people = new Map<string, { birth_date: string | null; gender: string | null }>()
  for (const row of rowsOf(reading, file)) {
    if (!users.has(row.fields.sourcedId!)) reading.problems.add(file, row.line, `no user ${row.fields.sourcedId}`)
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
