import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { monotonicFactory } from 'ulid'
import { createCipher } from '../../host/security/cipher.ts'
import { sealEmbedding } from '../../partner-services/education/face-embeddings.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp, type School } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let school: School
let app: InstalledApp
const ulid = monotonicFactory()
const cipher = createCipher(testHostKey)
const vector = [0.5, -0.25, 0.125, 1]

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

async function addPerson(
  model: string,
  options: { type?: string; released?: boolean; sealed?: Buffer; dimensions?: number } = {},
) {
  const { type = 'student', released = false, dimensions = 4 } = options
  const id = ulid()
  if (type === 'student') {
    await database.admin.query(
      `insert into core.students (tenant_id, id, full_name, released_at) values ($1, $2, 'Sara Secret', $3)`,
      [school.id, id, released ? new Date() : null],
    )
  }
  await database.admin.query(
    `insert into core.face_embeddings values ($1, $2, $3, $4, $5, $6, 3, '2026-09-01T08:00:00Z', $7)`,
    [school.id, ulid(), type, id, model, dimensions, options.sealed ?? sealEmbedding(cipher, school.id, id, vector)],
  )
  return id
}

const list = (query: string, token = app.token) => web.call(`/apps/education/face-embeddings?${query}`, { token })

test('vectors come back as they were stored, without names, and are encrypted at rest', async () => {
  const id = await addPerson('plain')
  const { body } = await list('model=plain')
  assert.deepEqual(body, {
    model: 'plain',
    count: 1,
    total: 1,
    people: [
      {
        person_type: 'student',
        person_id: id,
        model: 'plain',
        dimensions: 4,
        captures_count: 3,
        registered_at: '2026-09-01T08:00:00.000Z',
        embedding: vector,
      },
    ],
  })
  const { rows } = await database.admin.query(
    'select embedding_encrypted as sealed from core.face_embeddings where person_id = $1',
    [id],
  )
  assert.ok(!rows[0].sealed.includes(Buffer.from(new Float32Array(vector).buffer)))
})

test('released students and rows that cannot be decrypted count in total, not in count', async () => {
  const kept = await addPerson('mixed')
  await addPerson('mixed', { released: true })
  await addPerson('mixed', { sealed: Buffer.from('broken') })
  await addPerson('mixed', { sealed: sealEmbedding(cipher, ulid(), ulid(), vector) })
  await addPerson('mixed', { sealed: sealEmbedding(cipher, school.id, ulid(), vector) })
  await addPerson('mixed', { dimensions: 5 })
  const employee = await addPerson('mixed', { type: 'employee' })
  const { body } = await list('model=mixed')
  assert.deepEqual(
    [body.count, body.total, body.people.map((one: { person_id: string }) => one.person_id)],
    [2, 7, [kept, employee]],
  )
  assert.deepEqual((await list('model=mixed&person_type=employee')).body.total, 1)
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => list(`model=mixed&per_page=2&page=${page}`)))
  assert.deepEqual(
    pages.map((page) => [page.body.count, page.body.total]),
    [
      [1, 7],
      [0, 7],
      [0, 7],
      [1, 7],
      [0, 7],
    ],
  )
})

test('the model is required and another tenant sees none of these vectors', async () => {
  assert.deepEqual(Object.keys((await list('')).body.errors), ['model'])
  assert.deepEqual(Object.keys((await list('model=plain&per_page=101&person_type=guardian')).body.errors), [
    'person_type',
    'per_page',
  ])
  const other = await installApp(database.admin, await createSchool(database.admin))
  assert.deepEqual((await list('model=mixed', other.token)).body, { model: 'mixed', count: 0, total: 0, people: [] })
})
