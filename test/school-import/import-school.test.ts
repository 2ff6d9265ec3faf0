import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import { createProblems } from '../../host/school-import/csv-table.ts'
import { importSchool, SchoolImportError } from '../../host/school-import/import-school.ts'
import { readOneRoster } from '../../host/school-import/one-roster.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context, countStudents } = imports

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
