import type { FileName } from './files.ts'
import type { SchoolRecords } from './one-roster.ts'
import { rowsOf, type Tables } from './tables.ts'

type Table = keyof SchoolRecords

/** Of each table the columns that an export tells, besides those that every one does. */
export type ToldColumns = { readonly [table in Table]?: readonly string[] }

type IsTold = (tables: Tables) => boolean

/** An export may leave out a file, and a column of it. */
const by =
  (file: FileName, column: string): IsTold =>
  (tables) =>
    tables.get(file)?.columns.includes(column) === true

const byHomerooms: IsTold = (tables) =>
  by('enrollments.csv', 'classSourcedId')(tables) &&
  rowsOf({ tables }, 'classes.csv').some(({ fields }) => fields.classType === 'homeroom')

const mayBeTold: { readonly [table in Table]?: { readonly [column: string]: IsTold } } = {
  subjects: { code: by('courses.csv', 'courseCode') },
  sections: { grade_id: by('classes.csv', 'grades') },
  guardians: { email: by('users.csv', 'email') },
  students: {
    national_id: by('users.csv', 'identifier'),
    grade_id: by('users.csv', 'grades'),
    guardian_id: by('users.csv', 'agentSourcedIds'),
    birth_date: by('demographics.csv', 'birthDate'),
    gender: by('demographics.csv', 'sex'),
    section_id: byHomerooms,
  },
  employees: { email: by('users.csv', 'email') },
}

export function toldColumns(tables: Tables): ToldColumns {
  const told = Object.entries(mayBeTold).map(([table, columns]) => {
    const ofTable = Object.entries(columns).filter(([, isTold]) => isTold(tables))
    return [table, ofTable.map(([column]) => column)]
  })
  return Object.fromEntries(told)
}
