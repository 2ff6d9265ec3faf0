import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importSchool } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context, countStudents, problemsOf } = imports

type Files = ReturnType<typeof oneRosterFiles>

/** A school that is imported from files that were changed. */
async function imported(change: (files: Files) => void): Promise<string> {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  change(files)
  await importSchool(context, id, encode(files))
  return id
}

/** Names of the pupils that have a guardian, with the guardian's. */
async function guardiansAt(id: string): Promise<string[][]> {
  const { rows } = await database.admin.query(
    `select left(s.full_name, 4) as pupil, left(g.full_name, 4) as guardian from core.students s
      join core.guardians g on g.tenant_id = s.tenant_id and g.id = s.guardian_id where s.tenant_id = $1 order by 1`,
    [id],
  )
  return rows.map(({ pupil, guardian }) => [pupil, guardian])
}

test('a guardian may be named on the row of the pupil, and pupils on the row of the guardian; the pupil’s own counts first', async () => {
  const sons = 'g2,,,true,o1,parent,g2,,Omar,Smith,,,,+966550000008,,"s1,s2",,\r\n'
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('g1,,', `${sons}g1,,`)
  })
  assert.deepEqual(await guardiansAt(id), [
    ['Adam', 'Omar'],
    ['سارة', 'علي '],
  ])
})

test('a guardian whose row is to be deleted is nobody’s', async () => {
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('g1,,', 'g1,tobedeleted,')
  })
  assert.deepEqual(await guardiansAt(id), [])
})

test('an export without courses, left out or said to be absent, is taken with its classes', async () => {
  const manifest = 'propertyName,value\r\nfile.courses,absent\r\n'
  for (const change of [
    (files: Files) => delete files['courses.csv'],
    (files: Files) => Object.assign(files, { 'manifest.csv': manifest }),
  ]) {
    const id = await imported(change)
    const { rows } = await database.admin.query('select name from core.sections where tenant_id = $1', [id])
    assert.deepEqual(rows, [{ name: '1A' }])
  }
})

test('enrolments without classes are refused, once', async () => {
  const manifest = 'propertyName,value\r\nfile.classes,absent\r\n'
  const { 'classes.csv': _classes, ...missing } = oneRosterFiles()
  const refused = (reason: string) => [
    { file: 'classes.csv', line: 1, reason: `${reason}, and enrollments.csv names classes` },
  ]
  assert.deepEqual(await problemsOf(missing), refused('the file is missing'))
  const absent = { ...oneRosterFiles(), 'manifest.csv': manifest }
  assert.deepEqual(await problemsOf(absent), refused('the manifest says that it is absent'))
})

test('an e-mail address of a pupil, which is kept nowhere, is not looked at', async () => {
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('1098,,', '1098,n/a,')
  })
  assert.equal(await countStudents(id), 2)
})

test('a guardian is reached by the number that is one, and a number may be written in any digits', async () => {
  await database.admin.query(
    `insert into core.countries (code, id, name_ar, name_en, calling_code)
      values ('SA', '01J60000000000000000CTRYSA', 'السعودية', 'Saudi Arabia', '+966') on conflict do nothing`,
  )
  for (const [cells, phone] of [
    ['n/a,+966550000007', '+966550000007'],
    ['+966550000008,+966550000007', '+966550000008'],
    ['٩٦٦٥٥٠٠٠٠٠٠٧,', '+966550000007'],
    ['۹۶۶۵۵۰۰۰۰۰۰۷,', '+966550000007'],
  ]) {
    const { id } = await createSchool(database.admin)
    await database.admin.query(`update core.tenants set country_code = 'SA' where id = $1`, [id])
    const files = oneRosterFiles()
    files['users.csv'] = files['users.csv']!.replace('+966550000007,', cells!)
    await importSchool(context, id, encode(files))
    const { rows } = await database.admin.query('select phone from core.guardians where tenant_id = $1', [id])
    assert.deepEqual(rows, [{ phone }], cells)
  }
})

test('cells of spaces are empty ones', async () => {
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('Mona,Saleh,,', 'Mona,Saleh,"  ","  "')
  })
  const { rows } = await database.admin.query('select full_name from core.employees where tenant_id = $1', [id])
  assert.deepEqual(rows, [{ full_name: 'Mona Saleh' }])
})

test('a grade is one, however its number is written, with the id that two Latin digits give', async () => {
  const grades = async (id: string) =>
    (await database.admin.query('select id, name, level from core.grades where tenant_id = $1', [id])).rows
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  const [first] = await grades(id)
  const files = oneRosterFiles()
  files['classes.csv'] = files['classes.csv']!.replace('1A,01', '1A,1')
  files['users.csv'] = files['users.csv']!.replace('g1,01,', 'g1,٠١,').replace(/01,\r\ng1/, '۱,\r\ng1')
  await importSchool(context, id, encode(files))
  assert.deepEqual(await grades(id), [{ ...first, name: 'Grade 1', level: 1 }])
  const { rows } = await database.admin.query(
    `select distinct grade_id from core.students where tenant_id = $1
      union select grade_id from core.sections where tenant_id = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ grade_id: first.id }])
})
