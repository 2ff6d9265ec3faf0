import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createServer } from '../../host/http/server.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'

const operatorToken = 'op_test'
let database: TestDatabase
let context: ReturnType<typeof testWebContext>
let server: FastifyInstance

before(async () => {
  database = await createTestDatabase()
  context = testWebContext(database)
  const operatorTokenHash = createHash('sha256').update(operatorToken).digest('hex')
  server = await createServer({ ...context, operatorTokenHash })
})
after(async () => {
  await server?.close()
  await context?.close()
  await database?.drop()
})

const ask = (path: string, payload?: object) =>
  server.inject({
    ...{ url: `/operator${path}`, headers: { authorization: `Bearer ${operatorToken}` } },
    ...(payload ? { method: 'POST', payload } : { method: 'GET' }),
  })

test('of very many wrong fields the first hundred are told, and how many more there are', async () => {
  const names = Array.from({ length: 85_000 }, (_, index) => `wrong${index}`)
  const answer = await ask('/limits', { app: 'any', limits: Object.fromEntries(names.map((name) => [name, 1])) })
  assert.equal(answer.statusCode, 422)
  const { errors } = answer.json()
  assert.equal(Object.keys(errors).length, 101)
  assert.match(errors['limits.wrong99'][0], /is no limit of a request/)
  assert.deepEqual(errors.body, ['84900 more are wrong'])
  assert.ok(answer.body.length < 30_000, `${answer.body.length} bytes`)
})

test('so it is of names that are unknown or cannot be stored, however long they are', async () => {
  const long = 'x'.repeat(1_000_000)
  for (const body of [
    { app: 'any', limits: {}, [long]: 1 },
    { app: 'any', limits: { [long]: 1 } },
  ]) {
    const answer = await ask('/limits', body)
    assert.equal(answer.statusCode, 422)
    assert.ok(answer.body.length < 5_000, `${answer.body.length} bytes`)
  }
  const files = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, `\u0000`]))
  const answer = await ask('/publish', { files })
  assert.deepEqual(
    [answer.statusCode, Object.keys(answer.json().errors).length <= 101],
    [422, true],
    answer.body.slice(0, 300),
  )
})

test('an app that is not there has no log; one that wrote nothing has an empty one', async () => {
  const { slug } = await installApp(database.admin, await createSchool(database.admin))
  assert.equal((await ask('/logs?app=nosuch')).statusCode, 404)
  assert.deepEqual((await ask(`/logs?app=${slug}`)).json(), { lines: [] })
})
