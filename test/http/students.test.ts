import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let app: InstalledApp
let otherApp: InstalledApp

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  app = await installApp(database.admin, await createSchool(database.admin))
  otherApp = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await web?.close()
  await database?.drop()
})

const create = (token: string, body: unknown) => web.call('/apps/education/students', { token, method: 'POST', body })

test('a created student can be read back, guardian_id included', async () => {
  const created = await create(app.token, {
    full_name: 'أحمد علي',
    birth_date: '2014-02-28',
    gender: 'male',
    unknown: 1,
  })
  assert.equal(created.status, 201)
  const { id } = created.body.student
  assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
  const read = await web.call(`/apps/education/students/${id.toLowerCase()}`, { token: app.token })
  assert.deepEqual(read.body, {
    student: {
      id,
      full_name: 'أحمد علي',
      national_id: null,
      birth_date: '2014-02-28',
      gender: 'male',
      grade_id: null,
      section_id: null,
      guardian_id: null,
    },
  })
})

test("another tenant's student looks exactly like a missing one", async () => {
  const { body } = await create(otherApp.token, { full_name: 'Sara' })
  const foreign = await web.call(`/apps/education/students/${body.student.id}`, { token: app.token })
  const absent = await web.call(`/apps/education/students/${ulid()}`, { token: app.token })
  const mistyped = await web.call('/apps/education/students/42', { token: app.token })
  for (const answer of [foreign, absent, mistyped]) {
    assert.equal(answer.status, 404)
    assert.deepEqual(answer.body, { message: 'Not found.', error: 'not_found' })
  }
  const patched = await web.call(`/apps/education/students/${body.student.id}`, {
    token: app.token,
    method: 'PATCH',
    body: { full_name: 'x' },
  })
  assert.equal(patched.status, 404)
})

test('a search counts each record once, also past its last page and beside a filter, and forgets removed ones', async () => {
  const school = await createSchool(database.admin)
  const { token } = await installApp(database.admin, school)
  const gradeId = ulid()
  await database.admin.query(`insert into core.grades (tenant_id, id, name) values ($1, $2, 'First')`, [
    school.id,
    gradeId,
  ])
  for (const fields of [
    { full_name: 'Omar Omari' },
    { full_name: 'Omar Zaid', grade_id: gradeId },
    { full_name: 'Li' },
  ])
    assert.equal((await create(token, fields)).status, 201)
  const find = async (query: string) => {
    const { body } = await web.call(`/apps/education/students?${query}`, { token })
    return [body.total, body.last_page, body.data.map((row: { full_name: string }) => row.full_name)]
  }
  assert.deepEqual(await find('search=oma'), [2, 1, ['Omar Omari', 'Omar Zaid']])
  assert.deepEqual(await find('search=oma&per_page=1&page=2'), [2, 2, ['Omar Zaid']])
  assert.deepEqual(await find('search=oma&per_page=1&page=9'), [2, 2, []])
  assert.deepEqual(await find('search=omar%20za'), [1, 1, ['Omar Zaid']])
  assert.deepEqual(await find(`search=oma&grade_id=${gradeId}`), [1, 1, ['Omar Zaid']])
  assert.deepEqual(await find(`search=oma&grade_id=${ulid()}`), [0, 1, []])
  await database.admin.query(`delete from core.students where tenant_id = $1 and full_name = 'Omar Omari'`, [school.id])
  assert.deepEqual(await find('search=oma'), [1, 1, ['Omar Zaid']])
})

test('a search folds Arabic letters and finds beginnings of words', async () => {
  await create(app.token, { full_name: 'فاطمة إبراهيم', national_id: '1098765432' })
  for (const search of ['فاطمه', 'ابرا', '10987', 'ابراهيم فاط']) {
    const { body } = await web.call(`/apps/education/students?search=${encodeURIComponent(search)}`, {
      token: app.token,
    })
    assert.deepEqual([body.total, body.data[0]?.full_name], [1, 'فاطمة إبراهيم'], search)
  }
  const { body } = await web.call('/apps/education/students?search=zzz', { token: app.token })
  assert.deepEqual(body, { data: [], total: 0, per_page: 20, current_page: 1, last_page: 1 })
})

test('invalid fields are all named, with status 422', async () => {
  const { status, body } = await create(app.token, { full_name: '', gender: 'x', grade_id: 3 })
  assert.equal(status, 422)
  assert.equal(body.message, 'The given data was invalid.')
  assert.deepEqual(Object.keys(body.errors).sort(), ['full_name', 'gender', 'grade_id'])
})

test("a reference to another tenant's record is refused like one to none", async () => {
  const stranger = await installApp(database.admin, await createSchool(database.admin))
  const given = { full_name: 'Guardian', phone: '+966501234567' }
  const theirs = await web.call('/apps/education/guardians', { token: stranger.token, method: 'POST', body: given })
  for (const id of [theirs.body.guardian.id, ulid()]) {
    const { body } = await create(app.token, { full_name: 'A', guardian_id: id })
    assert.deepEqual(body.errors, { guardian_id: ['no such record'] })
  }
})

test('a missing scope is named, before the input is looked at', async () => {
  const school = await createSchool(database.admin)
  const limited = await installApp(database.admin, school, { scopes: ['education.students.read'] })
  const { status, body } = await create(limited.token, { full_name: '' })
  assert.equal(status, 403)
  assert.deepEqual(body, {
    message: 'The scope education.students.write is not granted.',
    error: 'scope_not_granted',
    scope: 'education.students.write',
  })
})

test('no, wrong, mistyped and unknown tokens are 401', async () => {
  const swapped = app.token.slice(0, -1) + (app.token.endsWith('0') ? '1' : '0')
  for (const token of [undefined, 'x', swapped, `${app.token}0`]) {
    const { status, body, headers } = await web.call('/apps/whoami', { token })
    assert.equal(status, 401)
    assert.equal(body.error, 'unauthenticated')
    assert.equal(headers.get('www-authenticate'), 'Bearer')
  }
})

test('the scheme of a token is taken in any letters', async () => {
  for (const [scheme, status] of [
    ['bearer', 200],
    ['BEARER', 200],
    ['Basic', 401],
    ['', 401],
  ] as const) {
    const authorization = `${scheme} ${app.token}`
    assert.equal((await web.call('/apps/whoami', { headers: { authorization } })).status, status, scheme)
  }
})

test('whoami shows the tenant by its number, the app and its scopes', async () => {
  const { body } = await web.call('/apps/whoami', { token: app.token })
  assert.equal(typeof body.tenant_id, 'number')
  assert.equal(body.module, app.slug)
})

test('malformed JSON is 400', async () => {
  const { status, body } = await create(app.token, '{')
  assert.deepEqual([status, body.error], [400, 'bad_request'])
})

test('a name has a character that can be seen, and what may be left out is null or such a text too', async () => {
  for (const blank of ['', '   ', '\u00a0\u3000', '\u200b\u200f', '\u3164', '\t\n', '\u2800', '\ufe0f']) {
    const name = await create(app.token, { full_name: blank })
    assert.deepEqual([name.status, name.body.errors?.full_name?.length], [422, 1], JSON.stringify(blank))
    const optional = await create(app.token, { full_name: 'A', national_id: blank })
    assert.deepEqual([optional.status, Object.keys(optional.body.errors ?? {})], [422, ['national_id']])
  }
  for (const seen of [' . ', '😀', 'ــ', '‏أ', '١'])
    assert.equal((await create(app.token, { full_name: seen, national_id: null })).body.student?.full_name, seen)
})

test('a name is as long as it is kept: what was read can be written again', async () => {
  // In NFC it is two characters.
  const refused = await create(app.token, { full_name: '\u0958'.repeat(128) })
  assert.deepEqual([refused.status, Object.keys(refused.body.errors ?? {})], [422, ['full_name']])
  // In NFC it is one.
  const { student } = (await create(app.token, { full_name: 'e\u0301'.repeat(255) })).body
  assert.equal(student?.full_name, '\u00e9'.repeat(255))
  const path = `/apps/education/students/${student.id}`
  const again = await web.call(path, { token: app.token, method: 'PATCH', body: { full_name: student.full_name } })
  assert.deepEqual([again.status, again.body], [200, { student }])
})
