import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'
import { createSchool, installApp } from '../support/school.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})
after(() => door?.close())

const ask = (url: string, payload: object = {}) =>
  door.server.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${operatorToken}` } })

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
    const mistyped = await ask(url, { ...body, revok: true })
    assert.deepEqual([mistyped.statusCode, await status(token)], [422, 200], mistyped.body)
    const overlapping = (await ask(url, body)).json().token
    assert.deepEqual([await status(token), await status(overlapping)], [200, 200])
    const next = (await ask(url, { ...body, revoke: true })).json().token
    assert.deepEqual(await Promise.all([token, overlapping, next].map(status)), [401, 401, 200])
    token = next
  }
})

test('a new token that its partner was answered is not shown once more; one that an operator made is, once', async () => {
  const app = await installApp(door.database.admin, await createSchool(door.database.admin))
  const own = `/partners/api/apps/${app.slug}/installations/${app.installationId}/token`
  assert.equal((await ask(`${own}/rotate`)).statusCode, 200)
  assert.equal((await ask(`${own}/show`)).statusCode, 409)
  const made = await ask('/operator/tokens/rotate', { slug: app.slug, tenant: app.tenantId })
  assert.equal((await ask(`${own}/show`)).json().token, made.json().token)
  assert.equal((await ask(`${own}/show`)).statusCode, 409)
})

test('a token that leaked of an app that was stopped ends as well: lifting the app does not bring it back', async () => {
  const app = await installApp(door.database.admin, await createSchool(door.database.admin))
  const own = `/partners/api/apps/${app.slug}/installations/${app.installationId}/token/rotate`
  const stop = `update core.installations set status = 'disabled', disabled_reason = 'stopped after three failures in ten minutes' where id = $1`
  let token = app.token
  for (const [url, body] of [
    ['/operator/tokens/rotate', { slug: app.slug, tenant: app.tenantId }],
    [own, {}],
  ] as const) {
    await door.database.admin.query(stop, [app.installationId])
    const rotated = await ask(url, { ...body, revoke: true })
    assert.equal(rotated.statusCode, 200, rotated.body)
    assert.equal((await ask('/operator/lift', { slug: app.slug })).statusCode, 200)
    assert.deepEqual(await Promise.all([token, rotated.json().token].map(status)), [401, 200])
    token = rotated.json().token
  }
  assert.equal((await ask('/operator/uninstall', { slug: app.slug, tenant: app.tenantId })).statusCode, 200)
  assert.equal((await ask(own)).statusCode, 404)
})
