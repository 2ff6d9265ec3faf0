import type { CsvRow, CsvTable, Problems } from './csv-table.ts'
import type { FileName } from './files.ts'
import { guardianRoles, guardiansOfPupils } from './guardians.ts'
import { known, rowsOf, type Tables } from './tables.ts'
import { listOf } from './values.ts'

const allSchools = 'all'

/**
 * What is taken of an export that may be a district's: the users of the school `org`, with what belongs to them. Who belongs to
 * no school, but to the district say, is taken in any case, a guardian only with a pupil. Where `org` is not given the users
 * must all be one school's, unless they are taken as one: what is imported is seen by everybody at the school. Who belongs to
 * a deleted school alone is that one's still.
 */
export function ofOneSchool(tables: Tables, org: string | undefined, problems: Problems): Tables {
  if (org === allSchools || !tables.get('orgs.csv')) return tables
  const orgs = orgsOf(tables)
  if (org === undefined) {
    const schools = new Set(rowsOf({ tables }, 'users.csv').flatMap((row) => schoolsOf(orgs, row.fields.orgSourcedIds)))
    if (schools.size > 1) refuse(orgs, schools, problems)
    return tables
  }
  if (orgs.get(org)?.kind === 'school') return takenOf(tables, orgs, org)
  problems.add('orgs.csv', 1, `no org of type school: ${org}`)
  return tables
}

/** `closed`: a school that was deleted. */
type Org = { line: number; fields: CsvRow['fields']; kind: 'school' | 'closed' | 'other' }
type Orgs = ReadonlyMap<string, Org>

/** The deleted ones too: a user may still name one. One whose row says no more than that it is deleted may have been a school. */
function orgsOf(tables: Tables): Orgs {
  const isSchool = (type: string | undefined) => type === 'school'
  const deleted = (tables.get('orgs.csv')?.deleted ?? []).map(
    (row): Org => ({ ...row, kind: !row.fields.type || isSchool(row.fields.type) ? 'closed' : 'other' }),
  )
  const taken = rowsOf({ tables }, 'orgs.csv').map(
    (row): Org => ({ ...row, kind: isSchool(row.fields.type) ? 'school' : 'other' }),
  )
  return new Map([...deleted, ...taken].map((org) => [org.fields.sourcedId!, org]))
}

function refuse(orgs: Orgs, schools: ReadonlySet<string>, problems: Problems): void {
  const inOrder = [...schools].map((school) => orgs.get(school)!).sort((one, other) => one.line - other.line)
  for (const { line, fields, kind } of inOrder) {
    const which =
      kind === 'school'
        ? `${fields.name} among them: import it alone with --org ${fields.sourcedId}`
        : `${fields.name || fields.sourcedId} among them, which is marked as deleted: import another alone with --org`
    problems.add(
      'orgs.csv',
      line,
      `users belong to several schools, ${which}, or all as one school with --org ${allSchools}`,
    )
  }
}

function takenOf(tables: Tables, orgs: Orgs, school: string): Tables {
  const isAnothers = (cell: string | undefined) => {
    const schools = schoolsOf(orgs, cell)
    return schools.length > 0 && !schools.includes(school)
  }
  const users = known({ tables }, 'users.csv')
  const taken = new Set<string>()
  for (const [sourcedId, { fields }] of users) {
    const isOurs = schoolsOf(orgs, fields.orgSourcedIds).includes(school)
    if (isOurs || (!guardianRoles.has(fields.role!) && !isAnothers(fields.orgSourcedIds))) taken.add(sourcedId)
  }
  for (const [pupil, guardians] of guardiansOfPupils(users))
    if (taken.has(pupil)) for (const guardian of guardians) taken.add(guardian)
  const isUntaken = (user: string | undefined) => users.has(user!) && !taken.has(user!)
  const dropped: { readonly [file in FileName]?: (row: CsvRow) => boolean } = {
    'users.csv': ({ fields }) => isUntaken(fields.sourcedId),
    'demographics.csv': ({ fields }) => isUntaken(fields.sourcedId),
    'enrollments.csv': ({ fields }) => isUntaken(fields.userSourcedId),
    'classes.csv': ({ fields }) => isAnothers(fields.schoolSourcedId),
    'courses.csv': ({ fields }) => isAnothers(fields.orgSourcedId),
  }
  const without = ([file, table]: [FileName, CsvTable | null]): [FileName, CsvTable | null] => [
    file,
    table && { ...table, rows: table.rows.filter((row) => !dropped[file]?.(row)) },
  ]
  return new Map([...tables].map(without))
}

/**
 * The schools that a cell of orgs leads to, closed ones where it leads to no other: a department belongs to the school above it.
 */
function schoolsOf(orgs: Orgs, cell: string | undefined): string[] {
  const above = listOf(cell).map((sourcedId) => {
    let current = orgs.get(sourcedId)
    for (let depth = 0; depth < 5 && current?.kind === 'other'; depth++)
      current = orgs.get(current.fields.parentSourcedId ?? '')
    return current
  })
  const ofKind = (kind: Org['kind']) => above.flatMap((org) => (org?.kind === kind ? [org.fields.sourcedId!] : []))
  const schools = ofKind('school')
  return schools.length > 0 ? schools : ofKind('closed')
}
