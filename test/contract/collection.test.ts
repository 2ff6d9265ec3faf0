import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '../../partner-services/registry.ts'
import { openHostDatabase } from '../host/host-database.ts'
import { type StartedHost, startHostProcess, hostFolder } from '../host/started-host.ts'
import { createSchool, installApp } from '../support/school.ts'
import { runCollection } from './support/newman.ts'

const folder = await hostFolder()
let host: StartedHost

before(async () => {
  host = await startHostProcess(folder.path)
})
after(async () => {
  await host?.stop()
  folder.remove()
})

test('the collection runs green against a fresh host, good and bad, every request checked by status and schema', async () => {
  const database = openHostDatabase(folder.path)
  const { token } = await installApp(database, await createSchool(database))
  await database.end()
  const { code, requests, assertions, failures, statuses } = await runCollection(host.url, token)
  assert.deepEqual(failures, [])
  assert.equal(code, 0)
  assert.ok(requests >= 3 * operations.length - 10, String(requests))
  assert.equal(assertions, 2 * requests)
  for (const status of [200, 201, 401, 404, 422]) assert.ok(statuses[status]! > 0, JSON.stringify(statuses))
})
