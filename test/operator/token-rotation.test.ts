import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'
import { createSchool, installApp } from '../support/school.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})
after(() => door?.close())

const status = async (token: string) =>
  (await door.server.inject({ url: '/apps/whoami', headers: { authorization: `Bearer ${token}` } })).statusCode

test('a token that leaked ends at once when its app gets another, at each door; a mistyped wish ends none', async () => {
  const school = await createSchool(door.database.admin)
  const app = await installApp(door.database.admin, school)
  const own = `/partners/api/apps/${app.slug}/installations/${app.installationId}/token/rotate`
  const named = { slug: app.slug, tenant: app.tenantId }
  let token = app.token
  for (const [url, body] of [
    ['/operator/tokens/rotate', named],
    [own, {}],
  ] as const) {
    const ask = (payload: object) =>
      door.server.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${operatorToken}` } })
    const mistyped = await ask({ ...body, revok: true })
    assert.deepEqual([mistyped.statusCode, await status(token)], [422, 200], mistyped.body)
    const overlapping = (await ask(body)).json().token
    assert.deepEqual([await status(token), await status(overlapping)], [200, 200])
    const next = (await ask({ ...body, revoke: true })).json().token
    assert.deepEqual(await Promise.all([token, overlapping, next].map(status)), [401, 401, 200])
    token = next
  }
})
