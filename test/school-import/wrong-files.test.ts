import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { columnsOf } from '../../host/school-import/files.ts'
import { importSchool, SchoolImportError } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context, countStudents, problemsOf } = imports

const wrong: [string, keyof ReturnType<typeof oneRosterFiles>, string, string, number, RegExp][] = [
  ['an unknown role', 'users.csv', 'teacher,e1', 'wizard,e1', 5, /role is not known: wizard/],
  ['a phone that is none', 'users.csv', '+966550000007', '12345', 4, /no valid phone number/],
  [
    'a phone without its country code',
    'users.csv',
    '+966550000007',
    '531234567',
    4,
    /write it with its country code \(\+966…\): 531234567/,
  ],
  [
    'a phone whose first digits are a code',
    'users.csv',
    '+966550000007',
    '2025550123',
    4,
    /write it with its country code/,
  ],
  [
    'a phone with another ending beside it',
    'users.csv',
    '+966550000007',
    '+966550000007/8',
    4,
    /no valid phone number/,
  ],
  ['an agent who is nobody', 'users.csv', ',g1,01', ',g9,01', 2, /no user g9/],
  ['a pupil of a guardian who is nobody', 'users.csv', '+966550000007,,,', '+966550000007,,s9,', 4, /no user s9/],
  ['a name left out', 'users.csv', ',Mona,', ',,', 5, /givenName is empty/],
  ['a name that nobody sees', 'users.csv', ',Mona,', ',\u200b\u200f,', 5, /givenName is no text that can be seen/],
  ['a name of controls alone', 'users.csv', ',Mona,', ',\u0007\u0001,', 5, /givenName is no text that can be seen/],
  ['a name of spaces alone', 'users.csv', ',Mona,', ',"  ",', 5, /givenName is empty/],
  ['a title that nobody sees', 'classes.csv', ',1A,01', ',\u200b,01', 2, /title is no text that can be seen/],
  ['a grade that nobody sees', 'users.csv', 'g1,01,', 'g1,\u200b,', 2, /grades holds no code/],
  ['a sourcedId twice', 'users.csv', 's2,,', 's1,,', 3, /stands on line 2 too/],
  ['a day that does not exist', 'demographics.csv', '2019-03-01', '2019-02-30', 2, /birthDate is no day/],
  ['an enrolment in no class', 'enrollments.csv', 'n1,,,k1', 'n1,,,k9', 2, /no class k9/],
  ['a term without a year', 'academicSessions.csv', '2026-12-20,y1', '2026-12-20,y9', 3, /leads to no schoolYear/],
  ['a year that ends before it starts', 'academicSessions.csv', '2027-06-20', '2020-06-20', 2, /in order/],
  ['a class of an unknown type', 'classes.csv', 'homeroom', 'club', 2, /classType/],
  ['a month that does not exist', 'demographics.csv', '2019-03-01', '2019-13-45', 2, /birthDate is no day/],
  ['a term that ends on a 32nd', 'academicSessions.csv', '2026-12-20', '2026-12-32', 3, /endDate is no day/],
  [
    'an enrolment that ends on no day',
    'enrollments.csv',
    's1,student,true,,',
    's1,student,true,,soon',
    2,
    /endDate is no day/,
  ],
  [
    'an enrolment that begins on no day',
    'enrollments.csv',
    's1,student,true,,',
    's1,student,true,soon,',
    2,
    /beginDate is no day/,
  ],
  ['a grade code that is none', 'users.csv', 'g1,01,', `g1,${'9'.repeat(65)},`, 2, /grades holds no code/],
  ['an identifier that is too long', 'users.csv', ',1098,', `,${'1'.repeat(65)},`, 2, /identifier is longer than 64/],
  [
    'a name that is too long as a whole',
    'users.csv',
    ',علي,1098',
    `,${'ع'.repeat(250)},1098`,
    2,
    /whole name is longer/,
  ],
  ['an e-mail address that is none', 'users.csv', 'mona@example.org', 'mona', 5, /email is no e-mail address: mona/],
  ['an enrolment in an unknown role', 'enrollments.csv', 's1,student', 's1,wizard', 2, /role is not known: wizard/],
  ['an organisation of an unknown type', 'orgs.csv', ',school,', ',castle,', 2, /type is none of .*: castle/],
  ['a row with too few columns', 'orgs.csv', 'o1,,,North School,school,,', 'o1,,,North', 2, /not readable as CSV/],
]
for (const [what, file, from, to, line, reason] of wrong) {
  test(`${what} is reported with file and line, and nothing is kept`, async () => {
    const files = oneRosterFiles()
    files[file] = files[file]!.replace(from, to)
    const problems = await problemsOf(files)
    assert.ok(
      problems.some((problem) => problem.file === file && problem.line === line && reason.test(problem.reason)),
      JSON.stringify(problems),
    )
  })
}

test('of very many wrong rows the first thousand are listed, and all are counted', async () => {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  const rows = Array.from({ length: 3_000 }, (_, n) => `x${n},,,true,o1,wizard,x${n},,A,B,,,,,,,01,\r\n`)
  files['users.csv'] += rows.join('')
  const error = await importSchool(context, id, encode(files)).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof SchoolImportError, String(error))
  assert.equal(error.message, '3000 wrong rows: nothing was imported')
  assert.deepEqual([error.problems.length, error.total], [1_000, 3_000])
})

test('the line of a row is the one it begins on, whatever lines stand within quotes before it', async () => {
  const files = oneRosterFiles()
  files['users.csv'] = files['users.csv']!.replace('سارة', '"سارة\r\nنورة"')
    .replace('Mona', '"Mona\r\nMaria"')
    .replace('teacher,e1', 'wizard,e1')
  const [problem] = await problemsOf(files)
  assert.deepEqual(problem, { file: 'users.csv', line: 6, reason: 'role is not known: wizard' })
})

test('a file of changes alone, or a needed one left out, is refused where the manifest says so, and no other', async () => {
  const manifest = (users: string) =>
    `propertyName,value\r\nmanifest.version,1.0\r\nfile.results,delta\r\nfile.users,${users}\r\n`
  const reason = 'users.csv holds changes only (delta): whole files (bulk) are imported'
  const problems = await problemsOf({ ...oneRosterFiles(), 'manifest.csv': manifest('delta') })
  assert.deepEqual(problems, [{ file: 'manifest.csv', line: 4, reason }])
  const left = await problemsOf({ ...oneRosterFiles(), 'manifest.csv': manifest('absent') })
  assert.deepEqual(left, [{ file: 'users.csv', line: 1, reason: 'the manifest says that it is absent' }])
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode({ ...oneRosterFiles(), 'manifest.csv': manifest('bulk') }))
  assert.equal(await countStudents(id), 2)
})

test('of a file that cannot be read, that alone is said: not of each row that refers to it', async () => {
  for (const file of ['users.csv', 'orgs.csv', 'courses.csv', 'classes.csv']) {
    const unreadable = oneRosterFiles()[file]!.replace(/(Mona|North|Maths|Mathematics)/, '\0')
    const problems = await problemsOf({ ...oneRosterFiles(), [file]: unreadable })
    assert.deepEqual(
      problems.map((problem) => [problem.file, problem.reason]),
      [[file, 'holds a NUL byte']],
    )
  }
  const { 'users.csv': _users, ...missing } = oneRosterFiles()
  assert.deepEqual(await problemsOf(missing), [{ file: 'users.csv', line: 1, reason: 'the file is missing' }])
})

test('Latin-1, NUL bytes, a missing file and a missing column are reported', async () => {
  const latin = {
    ...oneRosterFiles(),
    'users.csv': Buffer.from(oneRosterFiles()['users.csv']!.replace('Mona', 'M\u00f3na'), 'latin1'),
  }
  assert.deepEqual((await problemsOf(latin))[0], { file: 'users.csv', line: 5, reason: 'is not UTF-8' })
  const nul = { ...oneRosterFiles(), 'orgs.csv': oneRosterFiles()['orgs.csv']!.replace('North', 'No\0rth') }
  assert.deepEqual((await problemsOf(nul))[0], { file: 'orgs.csv', line: 2, reason: 'holds a NUL byte' })
  const { 'users.csv': _users, ...missing } = oneRosterFiles()
  assert.match((await problemsOf(missing))[0]!.reason, /the file is missing/)
  const column = { ...oneRosterFiles(), 'users.csv': oneRosterFiles()['users.csv']!.replace('familyName', 'surname') }
  assert.match((await problemsOf(column))[0]!.reason, /the column familyName is missing/)
})

test('a column that stands twice is reported, since one would hide the other; columns without a name may be several', async () => {
  const files = oneRosterFiles()
  const users = files['users.csv']!
  const twice = { ...files, 'users.csv': users.replace('middleName,', 'identifier,') }
  assert.deepEqual(await problemsOf(twice), [
    { file: 'users.csv', line: 1, reason: 'the column identifier stands twice' },
  ])
  const { id } = await createSchool(database.admin)
  const unnamed = users.replaceAll('\r\n', ',,\r\n')
  await importSchool(context, id, encode({ ...files, 'users.csv': unnamed }))
  assert.equal(await countStudents(id), 2)
})

test('a file that is empty, or whose first line is none of ours, is reported with every column that it must have', async () => {
  for (const [file, columns] of Object.entries(columnsOf))
    for (const content of ['', '\ufeff\r\n', 'foo,bar\r\n', 'sourcedId;role'])
      assert.deepEqual(
        await problemsOf({ ...oneRosterFiles(), [file]: content }).then((all) =>
          all.filter((one) => one.file === file),
        ),
        columns.map((column) => ({ file, line: 1, reason: `the column ${column} is missing` })),
        `${file}: ${content}`,
      )
})
