import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CoreDatabase, createCoreDatabase } from '../../host/database/core-database.ts'
import { createProblems, type Problem } from '../../host/school-import/csv-table.ts'
import { columnsOf } from '../../host/school-import/files.ts'
import { importSchool, type SchoolImportContext, SchoolImportError } from '../../host/school-import/import-school.ts'
import { readOneRoster } from '../../host/school-import/one-roster.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'

let database: TestDatabase
let core: CoreDatabase
let context: SchoolImportContext

before(async () => {
  database = await createTestDatabase()
  core = createCoreDatabase({ connection: database.connection.core, poolSize: 2 })
  context = {
    database: core,
    cipher: createCipher(testHostKey),
    clock: () => new Date(),
    platformTimeZone: 'Asia/Riyadh',
  }
})
after(async () => {
  await core?.close()
  await database?.drop()
})

const countStudents = async (tenantId: string) => {
  const { rows } = await database.admin.query('select count(*)::int as n from core.students where tenant_id = $1', [
    tenantId,
  ])
  return rows[0].n as number
}

async function problemsOf(files: Record<string, string | Buffer>): Promise<Problem[]> {
  const { id } = await createSchool(database.admin)
  const error = await importSchool(context, id, encode(files)).then(
    () => assert.fail('the import was taken'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof SchoolImportError, String(error))
  assert.equal(await countStudents(id), 0)
  return error.problems
}

test('a school is imported whole: people, sections by homeroom, guardians by agent', async () => {
  const { id } = await createSchool(database.admin)
  const { imported } = await importSchool(context, id, encode(oneRosterFiles()))
  assert.deepEqual(imported, {
    academic_years: 1,
    terms: 1,
    grades: 1,
    subjects: 1,
    sections: 1,
    guardians: 1,
    students: 2,
    employees: 1,
  })
  const { rows } = await database.admin.query(
    `select s.full_name, s.birth_date::text, s.gender, k.name as section, g.full_name as guardian, g.phone from core.students s
      left join core.sections k on k.tenant_id = s.tenant_id and k.id = s.section_id
      left join core.guardians g on g.tenant_id = s.tenant_id and g.id = s.guardian_id where s.tenant_id = $1 order by s.full_name`,
    [id],
  )
  assert.deepEqual(rows, [
    { full_name: 'Adam "A.J." Smith', birth_date: null, gender: null, section: null, guardian: null, phone: null },
    {
      full_name: 'سارة علي الحربي',
      birth_date: '2019-03-01',
      gender: 'female',
      section: '1A',
      guardian: 'علي الحربي',
      phone: '+966550000007',
    },
  ])
})

test('importing again changes records instead of adding them', async () => {
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  const files = oneRosterFiles()
  files['users.csv'] = files['users.csv']!.replace('Adam', 'Aidan')
  await importSchool(context, id, encode(files))
  assert.equal(await countStudents(id), 2)
  const { rows } = await database.admin.query(
    `select full_name from core.students where tenant_id = $1 and full_name like 'Aidan%'`,
    [id],
  )
  assert.equal(rows.length, 1)
})

test('what a file alone tells stays as it is where an export leaves that file out, and goes where the file says nothing', async () => {
  const { id } = await createSchool(database.admin)
  await importSchool(context, id, encode(oneRosterFiles()))
  await database.admin.query(
    `update core.students set gender = 'male' where tenant_id = $1 and full_name like 'Adam%'`,
    [id],
  )
  const pupils = async () => {
    const { rows } = await database.admin.query(
      `select left(s.full_name, 4) as name, s.birth_date::text, s.gender, k.name as section from core.students s
        left join core.sections k on k.tenant_id = s.tenant_id and k.id = s.section_id where s.tenant_id = $1 order by 1`,
      [id],
    )
    return rows.map((row) => Object.values(row))
  }
  const adam = ['Adam', null, 'male', null]
  const sara = ['سارة', '2019-03-01', 'female', '1A']
  const { 'demographics.csv': _sexes, 'enrollments.csv': _places, ...rest } = oneRosterFiles()
  rest['users.csv'] += 's3,,,true,o1,student,s3,,Late,Comer,,,,,,,01,\r\n'
  await importSchool(context, id, encode(rest))
  assert.deepEqual(await pupils(), [adam, ['Late', null, null, null], sara])
  const manifest = 'propertyName,value\r\nfile.demographics,absent\r\nfile.enrollments,absent\r\n'
  const before = oneRosterFiles()
  before['demographics.csv'] = before['demographics.csv']!.replace('2019-03-01,Female', '2018-01-01,Male')
  await importSchool(context, id, encode({ ...before, 'manifest.csv': manifest }))
  assert.deepEqual(await pupils(), [adam, ['Late', null, null, null], sara])
  const [header] = before['demographics.csv']!.split('\r\n')
  await importSchool(context, id, encode({ ...rest, 'demographics.csv': `${header}\r\n` }))
  assert.deepEqual(await pupils(), [
    ['Adam', null, null, null],
    ['Late', null, null, null],
    ['سارة', null, null, '1A'],
  ])
})

test('an enrolment that has ended places nobody, wherever it stands in the file', async () => {
  const before = 'n0,,,k3,o1,s1,student,true,2019-08-01,2020-06-20\r\n'
  const files = oneRosterFiles()
  files['classes.csv'] += 'k3,,,KG,01,c1,KG,homeroom,,o1,t1\r\n'
  const [header, ...rows] = files['enrollments.csv']!.split(/(?<=\r\n)/)
  for (const enrollments of [
    [header, before, ...rows],
    [header, ...rows, before],
    [header, before],
  ]) {
    const { id } = await createSchool(database.admin)
    await importSchool(context, id, encode({ ...files, 'enrollments.csv': enrollments.join('') }))
    const { rows: found } = await database.admin.query(
      `select k.name from core.students s join core.sections k on k.tenant_id = s.tenant_id and k.id = s.section_id
        where s.tenant_id = $1`,
      [id],
    )
    assert.deepEqual(found, enrollments.length === 2 ? [] : [{ name: '1A' }])
  }
})

/** The class of the one pupil who is enrolled, at half past ten in the evening of the 23rd in UTC. */
async function placeOf(enrolments: string[], timezone: string): Promise<string | undefined> {
  const { id } = await createSchool(database.admin, { timezone })
  const files = oneRosterFiles()
  files['classes.csv'] += 'k3,,,1B,01,c1,1B,homeroom,,o1,t1\r\n'
  const [header] = files['enrollments.csv']!.split('\r\n')
  files['enrollments.csv'] = [header, ...enrolments].join('\r\n')
  await importSchool({ ...context, clock: () => new Date('2026-11-23T22:30:00Z') }, id, encode(files))
  const { rows } = await database.admin.query(
    `select k.name from core.students s join core.sections k on k.tenant_id = s.tenant_id and k.id = s.section_id
      where s.tenant_id = $1`,
    [id],
  )
  return rows[0]?.name
}

test('an enrolment that has not begun places nobody; of several the one that began last does, of those the last row', async () => {
  const enrolled = (name: string, room: string, begins: string) => `${name},,,${room},o1,s1,student,true,${begins},`
  const [always, early, late] = [
    enrolled('n0', 'k3', ''),
    enrolled('n1', 'k1', '2026-09-01'),
    enrolled('n2', 'k3', '2026-10-01'),
  ]
  const next = enrolled('n3', 'k3', '2027-08-22')
  const places: [string[], string | undefined][] = [
    [[early, next], '1A'],
    [[next], undefined],
    [[late, early], '1B'],
    [[early, always], '1A'],
    [[early, enrolled('n4', 'k3', '2026-09-01')], '1B'],
  ]
  for (const [rows, place] of places) assert.equal(await placeOf(rows, 'Asia/Riyadh'), place, rows.join('\n'))
})

test("an enrolment begins and ends with the school's day", async () => {
  const rows = ['n1,,,k1,o1,s1,student,true,,2026-11-24', 'n2,,,k3,o1,s1,student,true,2026-11-24,']
  assert.equal(await placeOf(rows, 'Asia/Riyadh'), '1B')
  assert.equal(await placeOf(rows, 'Europe/London'), '1A')
})

test('a row that is to be deleted is no row, however its status is written', async () => {
  for (const status of ['tobedeleted', 'toBeDeleted']) {
    const { id } = await createSchool(database.admin)
    const files = oneRosterFiles()
    files['users.csv'] += `s3,${status},,true,o1,student,s3,,Left,School,,,,,,,01,\r\n`
    const { imported } = await importSchool(context, id, encode(files))
    assert.equal(imported.students, 2)
  }
})

test('a large school is read beside the process that serves: it works less than half of what reading takes', async () => {
  const pupils = Array.from({ length: 20_000 }, (_, n) => `p${n},,,true,o1,student,p${n},,A,B,,,,,,,01,\r\n`)
  const files = oneRosterFiles()
  files['users.csv'] += [...pupils, 'x1,,,true,o1,wizard,x1,,A,B,,,,,,,01,\r\n'].join('')
  const contents = new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))
  const worked = () => process.threadCpuUsage().user
  const [{ id }, problems, begun] = [await createSchool(database.admin), createProblems(), worked()]
  readOneRoster(contents, { tenantId: id, today: '2026-11-23', callingCode: null }, problems)
  const read = worked()
  await assert.rejects(importSchool(context, id, encode(files)), SchoolImportError)
  const [alone, beside] = [read - begun, worked() - read]
  assert.ok(beside < alone / 2, `${beside} of ${alone} µs`)
})

test('the same file in two schools makes different records', async () => {
  const [a, b] = [await createSchool(database.admin), await createSchool(database.admin)]
  await importSchool(context, a.id, encode(oneRosterFiles()))
  await importSchool(context, b.id, encode(oneRosterFiles()))
  const { rows } = await database.admin.query(
    'select count(distinct id)::int as n from core.students where tenant_id = any($1)',
    [[a.id, b.id]],
  )
  assert.equal(rows[0].n, 4)
})

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
  ['an agent who is nobody', 'users.csv', ',g1,01', ',g9,01', 2, /no user g9/],
  ['a name left out', 'users.csv', ',Mona,', ',,', 5, /givenName is empty/],
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

test('a phone as it is dialled from abroad is the same number', async () => {
  for (const dialled of ['00966550000007', '00 966 55 000 0007', '٠٠٩٦٦٥٥٠٠٠٠٠٠٧']) {
    const { id } = await createSchool(database.admin)
    const files = oneRosterFiles()
    files['users.csv'] = files['users.csv']!.replace('+966550000007', dialled)
    await importSchool(context, id, encode(files))
    const { rows } = await database.admin.query('select phone from core.guardians where tenant_id = $1', [id])
    assert.deepEqual(rows, [{ phone: '+966550000007' }], dialled)
  }
})

test('a phone whose plus a spreadsheet dropped is taken where it begins as numbers of the school’s own country do', async () => {
  for (const [country, cell, expected] of [
    ['SA', '966550000007', '+966550000007'],
    ['SA', '531234567', null],
    ['SA', '2025550123', null],
    [null, '966550000007', null],
  ] as const) {
    const { id } = await createSchool(database.admin)
    await database.admin.query(
      `insert into core.countries (code, id, name_ar, name_en, calling_code)
        values ('SA', '01J60000000000000000CTRYSA', 'السعودية', 'Saudi Arabia', '+966') on conflict do nothing`,
    )
    await database.admin.query('update core.tenants set country_code = $2 where id = $1', [id, country])
    const files = oneRosterFiles()
    files['users.csv'] = files['users.csv']!.replace('+966550000007', cell)
    const imported = importSchool(context, id, encode(files))
    if (expected === null) await assert.rejects(imported, SchoolImportError, `${country} ${cell}`)
    else await imported
    const { rows } = await database.admin.query('select phone from core.guardians where tenant_id = $1', [id])
    assert.deepEqual(rows, expected === null ? [] : [{ phone: expected }], `${country} ${cell}`)
  }
})

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

test('a grade of many digits is a name, not a level', async () => {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  files['users.csv'] = files['users.csv']!.replace('g1,01,', 'g1,99999999999999,')
  await importSchool(context, id, encode(files))
  const { rows } = await database.admin.query(
    'select name, level from core.grades where tenant_id = $1 order by level',
    [id],
  )
  assert.deepEqual(rows, [
    { name: '99999999999999', level: 0 },
    { name: 'Grade 1', level: 1 },
  ])
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

test('an import waits for whoever is before it and takes its time, whatever limits requests have', async () => {
  const { id } = await createSchool(database.admin)
  const limited = createCoreDatabase({
    connection: { ...database.connection.core, lock_timeout: 20, statement_timeout: 20 },
    poolSize: 1,
  })
  const operator = await database.admin.connect()
  await operator.query('begin; lock table core.terms')
  const importing = importSchool({ ...context, database: limited }, id, encode(oneRosterFiles()))
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '60 milliseconds'`
  while (!(await database.admin.query(waiting)).rowCount) await new Promise((done) => setTimeout(done, 1))
  await operator.query('commit')
  operator.release()
  assert.equal((await importing).imported.students, await countStudents(id))
  await limited.close()
})
