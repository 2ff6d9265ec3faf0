import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importSchool } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context } = imports

type Files = ReturnType<typeof oneRosterFiles>

/** A school that was imported, changed by hand, and is imported again from files that were changed. */
async function importedTwice(byHand: string, change: (files: Files) => void): Promise<string> {
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  await database.admin.query(byHand, [id])
  const files = oneRosterFiles()
  change(files)
  await importSchool(context, id, encode(files))
  return id
}

/** A file without one of its columns, whose cells stand in one of another name. */
const without = (files: Files, file: string, column: string) => {
  files[file] = files[file]!.replace(new RegExp(`\\b${column}\\b`), `metadata.${column}`)
}

test('what a column tells stays as it is where an export has no such column', async () => {
  const columns: [table: string, column: string, file: string, header: string][] = [
    ['students', 'national_id', 'users.csv', 'identifier'],
    ['students', 'grade_id', 'users.csv', 'grades'],
    ['students', 'guardian_id', 'users.csv', 'agentSourcedIds'],
    ['students', 'birth_date', 'demographics.csv', 'birthDate'],
    ['students', 'gender', 'demographics.csv', 'sex'],
    ['guardians', 'email', 'users.csv', 'email'],
    ['employees', 'email', 'users.csv', 'email'],
    ['sections', 'grade_id', 'classes.csv', 'grades'],
    ['subjects', 'code', 'courses.csv', 'courseCode'],
  ]
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  const told = async () => {
    const values: Record<string, unknown> = {}
    for (const [table, column] of columns) {
      const text = `select ${column}::text as value from core.${table} where tenant_id = $1 order by id`
      values[`${table}.${column}`] = (await database.admin.query(text, [id])).rows.map(({ value }) => value)
    }
    return values
  }
  await database.admin.query(
    `update core.students set national_id = '2' || national_id, birth_date = '2018-05-05', gender = 'male' where tenant_id = $1`,
    [id],
  )
  const before = await told()
  for (const values of Object.values(before)) assert.ok((values as unknown[]).some((value) => value !== null))
  const files = oneRosterFiles()
  for (const [, , file, header] of columns) without(files, file, header)
  await importSchool(context, id, encode(files))
  assert.deepEqual(await told(), before)
})

test('a pupil stays in a section where an export holds no homeroom', async () => {
  const id = await importedTwice('select $1', (files) => {
    files['classes.csv'] = files['classes.csv']!.replace('homeroom', 'scheduled')
  })
  const { rows } = await database.admin.query(
    `select k.name from core.students s join core.sections k on k.tenant_id = s.tenant_id and k.id = s.section_id
      where s.tenant_id = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ name: '1A' }])
})

test('what no file tells is made up once: a grade that the school named and a role that it gave stay', async () => {
  const id = await importedTwice(
    `with grades as (update core.grades set name = 'الصف الأول', level = 7 where tenant_id = $1)
      update core.employees set job_title = 'معلمة', roles = roles || '{librarian}' where tenant_id = $1`,
    (files) => {
      files['users.csv'] = files['users.csv']!.replace('Saleh', 'Salih')
    },
  )
  const { rows } = await database.admin.query(
    `select g.name, g.level, e.full_name, e.job_title, e.roles from core.grades g
      join core.employees e on e.tenant_id = g.tenant_id where g.tenant_id = $1`,
    [id],
  )
  assert.deepEqual(rows, [
    { name: 'الصف الأول', level: 7, full_name: 'Mona Salih', job_title: 'معلمة', roles: ['teacher', 'librarian'] },
  ])
})

test('a pupil whose row is to be deleted has left: released, in no section, until it comes back', async () => {
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  const sara = async () => {
    const { rows } = await database.admin.query(
      `select released_at, section_id is not null as placed from core.students where tenant_id = $1 and national_id = '1098'`,
      [id],
    )
    return rows[0]
  }
  const left = oneRosterFiles()
  left['users.csv'] = left['users.csv']!.replace('s1,,', 's1,tobedeleted,')
  const at = (day: string) => ({ ...context, clock: () => new Date(day) })
  const { released } = await importSchool(at('2026-11-23T07:00:00Z'), id, encode(left))
  assert.equal(released, 1)
  assert.deepEqual(await sara(), { released_at: new Date('2026-11-23T07:00:00Z'), placed: false })
  await importSchool(at('2026-11-24T07:00:00Z'), id, encode(left))
  assert.deepEqual(await sara(), { released_at: new Date('2026-11-23T07:00:00Z'), placed: false })
  await importSchool(context, id, encode(oneRosterFiles()))
  assert.deepEqual(await sara(), { released_at: null, placed: true })
  const without = oneRosterFiles()
  for (const file of ['users.csv', 'enrollments.csv', 'demographics.csv'])
    without[file] = without[file]!.replace(/^.*\bs1,.*\r\n/m, '')
  assert.equal((await importSchool(context, id, encode(without))).released, 0)
  assert.deepEqual(await sara(), { released_at: null, placed: true })
})
