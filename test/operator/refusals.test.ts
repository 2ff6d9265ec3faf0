import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Problem } from '../../host/school-import/csv-table.ts'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'
import { createSchool, installApp } from '../support/school.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})
after(() => door?.close())

const ask = (path: string, payload?: object, { server } = door) =>
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

test('what is wrong with the rows of a school is told by file and line, as fields are', async () => {
  const { id: tenant } = await createSchool(door.database.admin)
  const csv = 'sourcedId,status,dateLastModified,name\n'
  const answer = await ask('/import-school', { tenant, files: { 'orgs.csv': Buffer.from(csv).toString('base64') } })
  const { error, errors, report } = answer.json()
  assert.deepEqual([answer.statusCode, error], [422, 'invalid_data'], answer.body)
  const told = (report.problems as Problem[]).map(({ file, line, reason }) => [
    `files.${file}`,
    `line ${line}: ${reason}`,
  ])
  assert.deepEqual(
    Object.entries(errors as Record<string, string[]>).flatMap(([file, all]) => all.map((one) => [file, one])),
    told,
  )
})

test('of the wrong rows of a school those that are not listed are counted', async () => {
  const { id: tenant } = await createSchool(door.database.admin)
  const csv = `sourcedId,name,type\n${Array.from({ length: 1_500 }, (_, n) => `o${n},A,castle\n`).join('')}`
  const answer = await ask('/import-school', { tenant, files: { 'orgs.csv': Buffer.from(csv).toString('base64') } })
  const { message, errors, report } = answer.json()
  assert.equal(message, '1501 wrong rows: nothing was imported')
  assert.deepEqual([report.problems.length, report.total], [1_000, 1_501])
  assert.deepEqual(errors.body, ['1401 more are wrong'])
})

test('what only an embedded database allows is refused by its field', async () => {
  const elsewhere = await startOperatorServer({}, { embedded: false })
  try {
    const answer = await ask('/publish', { files: {}, approve: true }, elsewhere)
    const expected = { approve: ['works with the embedded database only'] }
    assert.deepEqual([answer.statusCode, answer.json().errors], [422, expected], answer.body)
  } finally {
    await elsewhere.close()
  }
})

test('an app that is not there has no log; one that wrote nothing has an empty one', async () => {
  const { slug } = await installApp(door.database.admin, await createSchool(door.database.admin))
  assert.equal((await ask('/logs?app=nosuch')).statusCode, 404)
  assert.deepEqual((await ask(`/logs?app=${slug}`)).json(), { lines: [], more: false })
})

test('nothing is lifted of an app, or at a school, that is not there; one that was not stopped runs on', async () => {
  const school = await createSchool(door.database.admin)
  const { slug } = await installApp(door.database.admin, school)
  for (const wrong of [
    { slug: 'nosuch' },
    { slug: 'nosuch', tenant: school.id },
    { slug, tenant: '01J00000000000000000000000' },
  ])
    assert.equal((await ask('/lift', wrong)).statusCode, 404, JSON.stringify(wrong))
  for (const right of [{ slug }, { slug, tenant: school.id }])
    assert.deepEqual((await ask('/lift', right)).json(), { app: false, tenants: [] })
})
