import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceBridge } from '../../host/embedded-apps/service-bridge.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import type { Operation } from '../../partner-services/service/operation.ts'
import { grades } from '../../partner-services/education/grades.ts'
import { listOperation } from '../../partner-services/service/resource.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'

const database = await createTestDatabase()
const web = testWebContext(database)
/** A server that is not there. */
const away = testWebContext({
  ...database,
  connection: { ...database.connection, core: { host: '127.0.0.1', port: 1 } },
})
after(async () => {
  await Promise.all([web.close(), away.close()])
  await database.drop()
})
const school = await createSchool(database.admin)
const caller: Caller = {
  tenant: { ...school, sandbox: false },
  app: { slug: 'asks', integrationType: 'embedded' },
  installation: { id: '01J00000000000000000000002', rateLimited: false },
  scopes: new Set(['education.grades.read']),
  viewer: null,
  locale: 'en',
}
const list = listOperation(grades)

function bridgeTo({ ports }: typeof web, operation: Operation) {
  const faults: unknown[] = []
  const bridge = createServiceBridge({
    caller,
    ports,
    confirm: async () => caller,
    operations: new Map([[operation.name, operation]]),
    moduleDatabase: undefined as never,
    report: (fault) => void faults.push(fault),
  })
  const ask = () => bridge.serve(`services.${operation.name}`, '{}')
  return { ask, bridge, faults }
}

test('while the database is away a module is told so as an external app is, and so is the host’s log', async () => {
  const { ask, bridge, faults } = bridgeTo(away, list)
  await assert.rejects(ask(), { code: 'unavailable', status: 503, retry_after: 1 })
  assert.deepEqual(bridge.detailsOf('unavailable'), { retryAfter: 1 })
  assert.equal(faults.length, 1)
})

test('of a fault of ours the host’s log has the error, once a request; a refusal is none', async () => {
  const fault = new TypeError('a fault of ours')
  const broken = { ...list, handler: () => Promise.reject(fault) }
  const { ask, faults } = bridgeTo(web, broken)
  await assert.rejects(ask(), fault)
  await assert.rejects(ask(), fault)
  assert.deepEqual(faults, [fault])
  const refused = bridgeTo(web, { ...list, scope: 'education.students.read' })
  await assert.rejects(refused.ask(), { code: 'scope_not_granted' })
  assert.deepEqual(refused.faults, [])
})

test('words of a guest that are no JSON are its own fault, and no line in the host’s log', async () => {
  const { bridge, faults } = bridgeTo(web, list)
  for (const path of [`services.${list.name}`, 'db.rows', 'db.execute', 'db.commit'])
    await assert.rejects(bridge.serve(path, '{'), { code: 'bad_request', status: 400 }, path)
  assert.deepEqual(faults, [])
})

test('what this host does not offer is no missing record: the module is told its name', async () => {
  const { bridge, faults } = bridgeTo(web, list)
  for (const path of ['notify', 'publish', 'services.education.students.byHashid'])
    await assert.rejects(bridge.serve(path, '{}'), {
      code: 'not_offered',
      status: 501,
      message: new RegExp(`\`${path}\``),
    })
  assert.deepEqual(faults, [])
})
