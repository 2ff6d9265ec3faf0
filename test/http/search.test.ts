import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let app: InstalledApp

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database)
  app = await installApp(database.admin, await createSchool(database.admin))
})

after(async () => {
  await web?.close()
  await database?.drop()
})

/** Fails unless each text finds the record of `body`, alone. */
async function found(path: string, body: object, texts: readonly string[]): Promise<void> {
  const created = await web.call(`/apps${path}`, { token: app.token, method: 'POST', body })
  assert.equal(created.status, 201)
  for (const text of texts) {
    const answer = await web.call(`/apps${path}?search=${encodeURIComponent(text)}`, { token: app.token })
    assert.deepEqual([answer.body.total, answer.body.data], [1, Object.values(created.body)], text)
  }
}

test('a number in a name is found, whichever digits wrote it and whichever search for it', async () => {
  await found('/education/grades', { name: 'الصف ١' }, ['الصف ١', '١', '1', 'الصف 1'])
  await found('/education/sections', { name: 'ب۲' }, ['ب۲', 'ب2', 'ب٢'])
  await found('/education/students', { full_name: 'Zaid', national_id: '١٠٩٨' }, ['١٠٩', '109'])
})

test('a sign that stands alone between the words of a name is no word to be found', async () => {
  await found('/education/grades', { name: '2026 / 2027' }, ['2026 / 2027', '2026 - 20'])
  await found('/education/students', { full_name: 'أحمد - علي' }, ['أحمد - علي', 'احمد – عل'])
  await found('/education/subjects', { name: 'Art & Design' }, ['Art & Design', 'design &'])
  const { body } = await web.call('/apps/education/grades?search=%2F', { token: app.token })
  assert.equal(body.total, 0)
})

test('a code or a national id of several words is found from its beginning', async () => {
  await found('/education/subjects', { name: 'Algebra', code: 'MATH 101' }, ['MATH 101', 'math 10', 'algebra'])
  await found('/education/students', { full_name: 'Sara', national_id: 'AB 123 456' }, ['AB 123 456', 'ab 123 4'])
  const { body } = await web.call('/apps/education/subjects?search=101%20math', { token: app.token })
  assert.equal(body.total, 0)
})

test('a phone number is found however people write it, the plus of a query included', async () => {
  await found('/education/guardians', { full_name: 'Huda', phone: '+966 50 123 9876' }, [
    '+966501239876',
    '966501239876',
    '00966501239876',
    '٩٦٦٥٠١٢٣٩٨٧٦',
    '+966 50 123 9876',
    '+966-50-123-9876',
    '(+966) 50 123.98',
    ' 96650123',
  ])
  const { body } = await web.call('/apps/education/guardians?search=+966501239876', { token: app.token })
  assert.equal(body.total, 1)
  for (const other of ['9665', '50123 9876', '96650123x']) {
    const answer = await web.call(`/apps/education/guardians?search=${other}`, { token: app.token })
    assert.equal(answer.body.total, 0, other)
  }
})
