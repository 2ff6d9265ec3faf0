import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})
after(() => door?.close())

const ask = (url: string, payload: object) =>
  door.server.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${operatorToken}` } })
const newPartner = async () => (await ask('/operator/partners', { name: 'Sahab Apps' })).json().partner
const status = async (key: string) =>
  (await door.server.inject({ url: '/partners/api/apps', headers: { authorization: `Bearer ${key}` } })).statusCode

test("a partner's key that leaked is replaced: another one opens the same portal, and those before end where that is asked", async () => {
  const [{ id, name, key }, other] = [await newPartner(), await newPartner()]
  const made = await ask('/operator/partners/keys', { partner: id })
  assert.equal(made.statusCode, 201, made.body)
  const second = made.json().partner
  assert.deepEqual([second.id, second.name], [id, name])
  assert.deepEqual(await Promise.all([key, second.key].map(status)), [200, 200])
  const third = (await ask('/operator/partners/keys', { partner: id, revoke: true })).json().partner.key
  assert.deepEqual(await Promise.all([key, second.key, third, other.key].map(status)), [401, 401, 200, 200])
  const missing = await ask('/operator/partners/keys', { partner: '01J00000000000000000000000' })
  assert.equal(missing.statusCode, 404)
})

test('one key is revoked by itself, or all of a partner', async () => {
  const { id, key } = await newPartner()
  const second = (await ask('/operator/partners/keys', { partner: id })).json().partner.key
  assert.deepEqual((await ask('/operator/partners/revoke', { key })).json(), { revoked: true })
  assert.deepEqual(await Promise.all([key, second].map(status)), [401, 200])
  assert.deepEqual((await ask('/operator/partners/revoke', { partner: id })).json(), { revoked: true })
  assert.equal(await status(second), 401)
  assert.deepEqual((await ask('/operator/partners/revoke', { partner: id })).json(), { revoked: false })
  const missing = await ask('/operator/partners/revoke', { partner: '01J00000000000000000000000' })
  assert.deepEqual(
    [missing.statusCode, missing.json().error],
    [404, 'not_found'],
    'a mistyped id is no partner without keys',
  )
})
