import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { operations } from '../../partner-services/registry.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp, type School } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let school: School
let app: InstalledApp

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  school = await createSchool(database.admin)
  app = await installApp(database.admin, school)
})

after(async () => {
  await web?.close()
  await database?.drop()
})

const call = (path: string, method = 'GET', body?: unknown) =>
  web.call(`/apps${path}`, { token: app.token, method, body })

const writable = [
  { path: '/education/guardians', wrapper: 'guardian', name: 'full_name', body: { phone: '+966501234567' } },
  { path: '/education/subjects', wrapper: 'subject', name: 'name', body: { code: 'M1' } },
  { path: '/education/grades', wrapper: 'grade', name: 'name', body: { level: 3 } },
  { path: '/education/sections', wrapper: 'section', name: 'name', body: {} },
  {
    path: '/employees/directory',
    wrapper: 'employee',
    name: 'full_name',
    body: { job_title: 'معلم', email: 'a@b.example' },
  },
]

for (const { path, wrapper, name, body } of writable) {
  test(`${path} can be created, read, listed, searched and changed`, async () => {
    const created = await call(path, 'POST', { ...body, [name]: 'أمل Zed' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.equal(created.headers.get('cache-control'), 'no-store')
    const record = created.body[wrapper]
    for (const [key, value] of Object.entries({ ...body, [name]: 'أمل Zed' })) assert.equal(record[key], value)
    assert.deepEqual((await call(`${path}/${record.id}`)).body, { [wrapper]: record })
    assert.deepEqual((await call(`${path}?search=zed`)).body.data, [record])
    const changed = await call(`${path}/${record.id}`, 'PATCH', { [name]: 'Other' })
    assert.deepEqual(changed.body, { [wrapper]: { ...record, [name]: 'Other' } })
    assert.deepEqual((await call(`${path}?search=amal`)).body.total, 0)
    const refused = await call(path, 'POST', {})
    assert.equal(refused.status, 422)
    assert.ok(refused.body.errors[name])
    assert.equal((await call(`${path}/${ulid()}`)).status, 404)
  })
}

test('the path says which record is meant, whatever body and query say', async () => {
  const [one, other] = await Promise.all(
    ['One', 'Other'].map(async (name) => (await call('/education/grades', 'POST', { name })).body.grade),
  )
  const changed = await call(`/education/grades/${one.id}`, 'PATCH', { id: other.id, name: 'Changed' })
  assert.equal(changed.body.grade.id, one.id)
  assert.equal((await call(`/education/grades/${one.id}?id=${other.id}`)).body.grade.name, 'Changed')
  assert.equal((await call(`/education/grades/${other.id}`)).body.grade.name, 'Other')
})

test('no operation that has a scope answers without it', async () => {
  const bare = await installApp(database.admin, school, { scopes: [] })
  for (const { name, scope, http } of operations) {
    if (scope === null) continue
    const path = `/apps${http.path.replace(/\{\w+\}/g, ulid())}`
    const sent = http.method === 'GET' ? {} : { body: {} }
    const { status, body } = await web.call(path, { token: bare.token, method: http.method, ...sent })
    assert.deepEqual([status, body.scope], [403, scope], name)
  }
})

/** What the access log says of an app, once it holds `count` lines or more. */
async function accessesOf({ installationId }: InstalledApp, count: number): Promise<object[]> {
  for (const end = Date.now() + 5_000; ; ) {
    const { rows } = await database.admin.query(
      'select operation, record_ids from core.access_log where installation_id = $1 order by operation',
      [installationId],
    )
    if (rows.length >= count) return rows
    assert.ok(Date.now() < end, `${rows.length} of ${count}`)
  }
}

test('what an app was shown, and what it wrote, stands in the access log', async () => {
  const reader = await installApp(database.admin, school)
  const asked = { token: reader.token }
  const { body } = await web.call('/apps/education/subjects', { ...asked, method: 'POST', body: { name: 'Physics' } })
  await web.call(`/apps/education/subjects/${body.subject.id}`, asked)
  const ids = [body.subject.id]
  assert.deepEqual(await accessesOf(reader, 2), [
    { operation: 'education.subjects.create', record_ids: ids },
    { operation: 'education.subjects.get', record_ids: ids },
  ])
})

test('a record that is shown again under its key is one more access; a refusal that is repeated is none', async () => {
  const reader = await installApp(database.admin, school)
  const { grade } = (await call('/education/grades', 'POST', { name: 'Before' })).body
  const path = `/apps/education/grades/${grade.id}`
  for (const [key, name] of Object.entries({ refused: '', taken: 'After' })) {
    const asked = { token: reader.token, method: 'PATCH', body: { name }, headers: { 'idempotency-key': key } }
    const replayed: (string | null)[] = []
    for (let n = 0; n < 3; n++) replayed.push((await web.call(path, asked)).headers.get('idempotency-replayed'))
    assert.deepEqual(replayed, [null, 'true', 'true'])
  }
  const change = { operation: 'education.grades.update', record_ids: [grade.id] }
  assert.deepEqual(await accessesOf(reader, 3), [change, change, change])
})

test('students are filtered by grade and section', async () => {
  const grade = (await call('/education/grades', 'POST', { name: 'G' })).body.grade
  const section = (await call('/education/sections', 'POST', { name: 'S', grade_id: grade.id })).body.section
  const body = { full_name: 'Placed', grade_id: grade.id, section_id: section.id }
  const { student } = (await call('/education/students', 'POST', body)).body
  await call('/education/students', 'POST', { full_name: 'Unplaced' })
  for (const filter of [`grade_id=${grade.id.toLowerCase()}`, `section_id=${section.id}`]) {
    assert.deepEqual((await call(`/education/students?${filter}`)).body.data, [student])
  }
  assert.equal((await call('/education/students?grade_id=7')).status, 422)
})

test('phone numbers are kept as E.164, Arabic-Indic digits and spaces included, and what holds more is refused', async () => {
  const { body } = await call('/education/guardians', 'POST', { full_name: 'A', phone: '+٩٦٦ ٥٠ ١٢٣ ٤٥٦٨' })
  assert.equal(body.guardian.phone, '+966501234568')
  const unassigned = await call('/education/guardians', 'POST', { full_name: 'A', phone: '+1 555 123 4567' })
  assert.equal(unassigned.body.guardian?.phone, '+15551234567', 'a range that nobody has yet is E.164 too')
  for (const [phone, kept] of [
    ['+1 (213) 373-4253', '+12133734253'],
    ['(+966) 551234569', '+966551234569'],
    ['+43 1/58858', '+43158858'],
  ]) {
    const { body } = await call('/education/guardians', 'POST', { full_name: 'A', phone })
    assert.equal(body.guardian?.phone, kept)
  }
  const beside = ['Ali: +966501234567', '+966501234567 ext. 12', '+966501234567,,12']
  const endings = [
    '+966 50 123 4567 (2)',
    '+966501234567/2',
    '+966501234567 / 68.',
    '+966501234567（٢）',
    '+966501234567 [2]',
  ]
  for (const phone of ['0501234567', '+96650', '+999123456789', 'abc', '', 5, ...beside, ...endings]) {
    const refused = await call('/education/guardians', 'POST', { full_name: 'A', phone })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors ?? {})], [422, ['phone']], String(phone))
  }
  assert.equal((await call(`/education/guardians?search=${encodeURIComponent('+96650123')}`)).body.total, 2)
})

test('academic years and terms are lists', async () => {
  const [year, term] = [ulid(), ulid()]
  await database.admin.query(
    `insert into core.academic_years values ($1, $2, '2026/2027', '2026-08-30', '2027-06-10')`,
    [school.id, year],
  )
  await database.admin.query(`insert into core.terms values ($1, $2, 'الأول', $3)`, [school.id, term, year])
  assert.deepEqual((await call('/education/academic-years')).body.data, [
    { id: year, name: '2026/2027', starts_on: '2026-08-30', ends_on: '2027-06-10' },
  ])
  assert.deepEqual((await call('/education/terms?search=الاول')).body.data, [
    { id: term, name: 'الأول', academic_year_id: year },
  ])
})

test('countries and their levels are the same for every tenant, and searchable in both languages', async () => {
  await database.admin.query(
    `insert into core.countries values ('SA', $1, 'السعودية', 'Saudi Arabia', '+966', 'Asia/Riyadh'), ('US', $2, 'الولايات المتحدة', 'United States', '+1', null)`,
    [ulid(), ulid()],
  )
  await database.admin.query(
    `insert into core.education_levels values ($1, 'SA', 'المرحلة الابتدائية', 'Primary', 1)`,
    [ulid()],
  )
  for (const search of ['saudi', 'السعوديه', 'sa', 'arab']) {
    const { body } = await call(`/countries/directory?search=${encodeURIComponent(search)}`)
    assert.deepEqual(
      body.data.map(({ code }: { code: string }) => code),
      ['SA'],
      search,
    )
  }
  assert.equal((await call('/countries/directory')).body.total, 2)
  assert.equal((await call('/countries/education-levels?country_code=sa&search=prim')).body.data[0].name_en, 'Primary')
  assert.equal((await call('/countries/education-levels?country_code=US')).body.total, 0)
})

test('what an enquiry leaves unfilled, as forms send it, is absent; what it must hold is missing', async () => {
  const body = { name: 'Noura', message: '?' }
  for (const unfilled of ['', ' ', null]) {
    const { status, body: answer } = await call('/contacts/enquiries', 'POST', {
      ...body,
      phone: unfilled,
      email: unfilled,
    })
    assert.deepEqual([status, answer.enquiry?.phone, answer.enquiry?.email], [201, null, null])
    const missing = await call('/contacts/enquiries', 'POST', { name: unfilled, message: unfilled })
    assert.deepEqual([missing.status, Object.keys(missing.body.errors)], [422, ['name', 'message']])
  }
})

test("enquiries are created and listed in the app's tenant", async () => {
  const body = { name: 'Layla', email: 'layla@example.org', message: 'متى يبدأ التسجيل؟' }
  const { enquiry } = (await call('/contacts/enquiries', 'POST', body)).body
  assert.deepEqual({ ...enquiry, ...body, phone: null }, enquiry)
  assert.match(enquiry.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual((await call('/contacts/enquiries?search=lay')).body.data, [enquiry])
})
