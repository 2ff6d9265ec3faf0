import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { installApp } from '../../host/installations/install.ts'
import { toStatement } from '../../host/database/statements.ts'
import { eventForInstallation } from '../../host/events/event-writer.ts'
import { cipher, createTestClock } from '../events/support.ts'
import { createSchool, type School } from '../support/school.ts'
import { formTokenFor, type Portal, publishApp, startPortal } from './support.ts'

let portal: Portal
let school: School

before(async () => {
  portal = await startPortal(createTestClock().now)
  school = await createSchool(portal.database.admin)
})
after(() => portal?.close())

const lower = (id: string) => id.toLowerCase()

test('a partner names an installation in either case; what is no id of one is absent, and as a filter refused', async () => {
  const app = await publishApp(portal, { partnerId: 'p1' })
  const approval = { tenantId: school.id, accountId: null }
  const { installationId: id } = await installApp(portal.context, app.slug, approval)
  const base = `/partners/api/apps/${app.slug}`
  const post = async (which: string, path: string) =>
    (await portal.call(`${base}/installations/${which}/token/${path}`, { method: 'POST', partner: 'p1' })).status
  assert.equal(await post(lower(id), 'show'), 200)
  assert.equal(await post(lower(id), 'rotate'), 200)
  for (const absent of [ulid(), '7', 'nobody']) {
    assert.equal(await post(absent, 'show'), 404)
    assert.equal(await post(absent, 'rotate'), 404)
  }
  const event = { name: 'education.subjects.created', data: {} }
  const written = toStatement(
    eventForInstallation(cipher, new Date(), { tenantId: school.id, installationId: id }, event),
  )
  await portal.database.admin.query('update core.apps set webhook_url = $2 where id = $1', [
    app.id,
    'https://a.example/',
  ])
  await portal.system.query(written.text, [...written.values])
  const filtered = (which: string) => portal.call(`${base}/deliveries?installation_id=${which}`, { partner: 'p1' })
  assert.equal((await filtered(lower(id))).body.total, 1)
  assert.deepEqual((await filtered('7')).body.errors, { installation_id: ['must be a ULID of 26 characters'] })
})

test('a school names an installation in either case', async () => {
  const app = await publishApp(portal)
  const { installationId: id } = await installApp(portal.context, app.slug, { tenantId: school.id, accountId: null })
  const change = async (method: string, which: string) =>
    portal.call(`/partners/api/school/installations/${which}`, {
      ...{ method, as: school.id, json: { scopes: ['education.students.read'] } },
      headers: { 'x-form-token': await formTokenFor(portal, school) },
    })
  const narrowed = await change('PATCH', lower(id))
  assert.deepEqual([narrowed.status, narrowed.body.installation?.id], [200, id])
  assert.equal((await change('PATCH', '7')).status, 404)
  const removed = await change('DELETE', lower(id))
  assert.deepEqual([removed.status, removed.body.installation?.id], [200, id])
})
