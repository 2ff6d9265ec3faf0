import { gradesOf } from './grades.ts'
import { guardianRoles, guardiansOfPupils } from './guardians.ts'
import type { SchoolRecord, SchoolRecords } from './one-roster.ts'
import { isAbsent, known, rowsOf } from './tables.ts'
import { dayOf, emailOf, listOf, nameOf, phoneOf, type Reading, textOf } from './values.ts'

const employeeRoles = new Set(['teacher', 'administrator', 'aide', 'proctor'])
const isRole = (role: string): boolean => role === 'student' || guardianRoles.has(role) || employeeRoles.has(role)

export function readPeople(reading: Reading): Pick<SchoolRecords, 'students' | 'guardians' | 'employees'> {
  const users = known(reading, 'users.csv')
  const guardiansOf = guardiansOfPupils(users)
  const homerooms = homeroomsOfStudents(reading)
  const people = demographics(reading)
  const [students, guardians, employees]: SchoolRecord[][] = [[], [], []]
  for (const row of users.values()) {
    const { role = '', sourcedId = '' } = row.fields
    for (const org of listOf(row.fields.orgSourcedIds))
      if (isAbsent(reading, 'orgs.csv', org)) reading.problems.add('users.csv', row.line, `no org ${org}`)
    for (const agent of role === 'student' || guardianRoles.has(role) ? listOf(row.fields.agentSourcedIds) : [])
      if (isAbsent(reading, 'users.csv', agent))
        reading.problems.add('users.csv', row.line, `no user ${agent} (agentSourcedIds)`)
    const full_name = nameOf(reading, row)
    if (role === 'student') {
      const [grade] = gradesOf(row)
      const homeroom = homerooms.get(sourcedId)
      const [guardian] = guardiansOf.get(sourcedId) ?? []
      students!.push({
        id: reading.id('student', sourcedId),
        full_name,
        released_at: null,
        national_id: textOf(reading, 'users.csv', row, 'identifier', 64),
        birth_date: people.get(sourcedId)?.birth_date ?? null,
        gender: people.get(sourcedId)?.gender ?? null,
        grade_id: grade ? reading.id('grade', grade) : null,
        section_id: homeroom ? reading.id('class', homeroom) : null,
        guardian_id: guardian ? reading.id('guardian', guardian) : null,
      })
    } else if (guardianRoles.has(role)) {
      guardians!.push({
        id: reading.id('guardian', sourcedId),
        full_name,
        phone: phoneOf(reading, row),
        email: emailOf(reading, row),
        relation: null,
      })
    } else if (employeeRoles.has(role)) {
      employees!.push({
        id: reading.id('employee', sourcedId),
        full_name,
        job_title: role,
        email: emailOf(reading, row),
        roles: [role],
      })
    } else reading.problems.add('users.csv', row.line, `role is not known: ${role}`)
  }
  return { students: students!, guardians: guardians!, employees: employees! }
}

/** Of a deleted row the id alone is sure: one of somebody else is no pupil's. */
export function leftOf(reading: Reading): string[] {
  const users = known(reading, 'users.csv')
  const deleted = reading.tables.get('users.csv')?.deleted ?? []
  const gone = deleted.map(({ fields }) => fields.sourcedId!).filter((sourcedId) => !users.has(sourcedId))
  return [...new Set(gone)].map((sourcedId) => reading.id('student', sourcedId))
}

/**
 * A pupil who changed class has the enrolment before in the file too, and next year's may be there already: one that has ended,
 * its last day exclusive, or that has not begun places nobody. Of several the one that began last does.
 */
function homeroomsOfStudents(reading: Reading): Map<string, string> {
  const classes = known(reading, 'classes.csv')
  const current = new Map<string, { homeroom: string; beganOn: string }>()
  for (const row of rowsOf(reading, 'enrollments.csv')) {
    const { line, fields } = row
    const beganOn = dayOf(reading, 'enrollments.csv', row, 'beginDate') ?? ''
    const endsOn = dayOf(reading, 'enrollments.csv', row, 'endDate')
    const isCurrent = beganOn <= reading.today && (endsOn === null || endsOn > reading.today)
    const course = classes.get(fields.classSourcedId!)
    if (isAbsent(reading, 'classes.csv', fields.classSourcedId!))
      reading.problems.add('enrollments.csv', line, `no class ${fields.classSourcedId}`)
    if (isAbsent(reading, 'users.csv', fields.userSourcedId!))
      reading.problems.add('enrollments.csv', line, `no user ${fields.userSourcedId}`)
    if (!isRole(fields.role!)) reading.problems.add('enrollments.csv', line, `role is not known: ${fields.role}`)
    if (fields.role !== 'student' || course?.fields.classType !== 'homeroom' || !isCurrent) continue
    if (beganOn >= (current.get(fields.userSourcedId!)?.beganOn ?? ''))
      current.set(fields.userSourcedId!, { homeroom: fields.classSourcedId!, beganOn })
  }
  return new Map([...current].map(([pupil, { homeroom }]) => [pupil, homeroom]))
}

function demographics(reading: Reading): Map<string, { birth_date: string | null; gender: string | null }> {
  const file = 'demographics.csv'
  const people = new Map<string, { birth_date: string | null; gender: string | null }>()
  for (const row of rowsOf(reading, file)) {
    if (isAbsent(reading, 'users.csv', row.fields.sourcedId!))
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
