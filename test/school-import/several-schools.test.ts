import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importSchool } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context, problemsOf } = imports

/** A district of two schools: what is in the files of one, and beside it a pupil, his mother, a class and a course of another. */
function districtFiles(): Record<string, string> {
  const files = oneRosterFiles()
  files['orgs.csv'] = files['orgs.csv']!.replace('North School,school,,', 'North School,school,,d1')
  files['orgs.csv'] += [
    'd1,,,District,district,,',
    'o2,,,South School,school,,d1',
    'o3,,,Science,department,,o2',
    '',
  ].join('\r\n')
  files['users.csv'] += [
    's9,,,true,o2,student,s9,,Other,Child,,,,,,,02,',
    'g9,,,true,d1,parent,g9,,Other,Mother,,,,+966550000008,,s9,,',
    'g8,,,true,d1,parent,g8,,Adams,Mother,,,,+966550000009,,s2,,',
    'e9,,,true,o3,teacher,e9,,Other,Teacher,,,,,,,,',
    'e8,,,true,d1,administrator,e8,,District,Head,,,,,,,,',
    '',
  ].join('\r\n')
  files['courses.csv'] += 'c9,,,y1,Physics,PHYS,02,o2,,\r\n'
  files['classes.csv'] += 'k9,,,2B,02,c9,2B,homeroom,,o2,t1\r\n'
  files['enrollments.csv'] += 'n9,,,k9,o2,s9,student,true,,\r\n'
  files['demographics.csv'] += 's9,,,,Male\r\n'
  return files
}

const ofTwo = (school: string, sourcedId: string) =>
  `users belong to several schools, ${school} among them: import it alone with --org ${sourcedId}, or all as one school with --org all`

test('where users belong to more than one school nothing is imported until one is named', async () => {
  const problems = await problemsOf(districtFiles())
  assert.deepEqual(problems, [
    { file: 'orgs.csv', line: 2, reason: ofTwo('North School', 'o1') },
    { file: 'orgs.csv', line: 4, reason: ofTwo('South School', 'o2') },
  ])
})

test('of several schools one is imported with what belongs to its users, and nothing of another’s is looked at', async () => {
  const { id } = await createSchool(database.admin)
  const files = districtFiles()
  for (const [file, right, wrong] of [
    ['users.csv', '+966550000008', 'none'],
    ['enrollments.csv', 's9,student,true,', 's9,student,true,soon'],
    ['demographics.csv', 's9,,,', 's9,,,no day'],
  ] as const)
    files[file] = files[file]!.replace(right, wrong)
  const { imported } = await importSchool(context, id, encode(files), 'o1')
  const { academic_years: _years, terms: _terms, ...counts } = imported
  assert.deepEqual(counts, { grades: 1, subjects: 1, sections: 1, guardians: 2, students: 2, employees: 2 })
  const { rows } = await database.admin.query(
    `select full_name from core.students where tenant_id = $1 union select full_name from core.guardians where tenant_id = $1
      union select full_name from core.employees where tenant_id = $1`,
    [id],
  )
  assert.deepEqual(rows.map(({ full_name }) => full_name).sort(), [
    'Adam "A.J." Smith',
    'Adams Mother',
    'District Head',
    'Mona Saleh',
    'سارة علي الحربي',
    'علي الحربي',
  ])
})

/** A school that was deleted; its row may hold no more than that. */
const closed = ['o2,tobedeleted,,South School,school,,d1', 'o2,tobedeleted,,,,,']
const withClosed = (row: string): Record<string, string> => {
  const files = districtFiles()
  files['orgs.csv'] = files['orgs.csv']!.replace('o2,,,South School,school,,d1', row)
  return files
}

test('who belongs to a school that was deleted, and to no other, is that one’s: left out beside another, nobody’s unasked', async () => {
  for (const row of closed) {
    const { id } = await createSchool(database.admin)
    const { imported } = await importSchool(context, id, encode(withClosed(row)), 'o1')
    const { students, guardians, employees, sections, subjects } = imported
    assert.deepEqual([students, guardians, employees, sections, subjects], [2, 2, 2, 1, 1], row)
    const name = row.includes('South') ? 'South School' : 'o2'
    const deleted =
      `users belong to several schools, ${name} among them, which is marked as deleted: ` +
      'import another alone with --org, or all as one school with --org all'
    assert.deepEqual(await problemsOf(withClosed(row)), [
      { file: 'orgs.csv', line: 2, reason: ofTwo('North School', 'o1') },
      { file: 'orgs.csv', line: 4, reason: deleted },
    ])
    assert.deepEqual(await problemsOf(withClosed(row), 'o2'), [
      { file: 'orgs.csv', line: 1, reason: 'no org of type school: o2' },
    ])
  }
})

test('a school that was deleted, of which all users are another’s too, asks nobody to name one', async () => {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  files['orgs.csv'] += 'o2,tobedeleted,,South School,school,,\r\n'
  files['users.csv'] = files['users.csv']!.replace('true,o1,student,s2', 'true,"o1,o2",student,s2')
  const { imported } = await importSchool(context, id, encode(files))
  assert.equal(imported.students, 2)
})

test('several schools are imported as one where that is asked for', async () => {
  const { id } = await createSchool(database.admin)
  const { imported } = await importSchool(context, id, encode(districtFiles()), 'all')
  assert.deepEqual([imported.students, imported.guardians, imported.employees, imported.sections], [3, 3, 3, 2])
})

test('a school that the export does not have, and an org that is none, is refused', async () => {
  for (const org of ['o9', 'd1'])
    assert.deepEqual(await problemsOf(oneRosterFiles(), org), [
      { file: 'orgs.csv', line: 1, reason: `no org of type school: ${org}` },
    ])
})
