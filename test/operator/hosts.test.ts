import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { tenantOfHost } from '../../host/sessions/current-session.ts'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'
import { createSchool, type School } from '../support/school.ts'

let door: OperatorServer
let [school, other]: School[] = []

before(async () => {
  door = await startOperatorServer({ PUBLIC_URL: 'https://platform.example:8443/' })
  const { admin } = door.database
  ;[school, other] = [await createSchool(admin), await createSchool(admin)]
})
beforeEach(() => door.database.admin.query('delete from core.tenant_hosts'))
after(() => door?.close())

async function ask(path: string, body?: object, token = operatorToken) {
  const request = { url: `/operator${path}`, headers: { authorization: `Bearer ${token}` } }
  const answer = await door.server.inject(body ? { ...request, method: 'POST', payload: body } : request)
  return { status: answer.statusCode, body: answer.json() }
}
const add = (host: unknown, tenant = school!.id) => ask('/hosts', { host, tenant })

test("a registered name is its school's, in whatever form it was typed, until it is removed", async () => {
  assert.deepEqual(await add(' Own.Example. '), { status: 200, body: { host: 'own.example', tenant_id: school!.id } })
  assert.equal((await add('own.example')).status, 200, 'twice is once')
  assert.equal((await add('مدرسة.السعودية', other!.id)).body.host, 'xn--ogblgi1g.xn--mgberp4a5d4ar')
  assert.equal(await tenantOfHost(door.system, 'OWN.example'), school!.id)
  const listed = async (query = '') =>
    (await ask(`/hosts${query}`)).body.hosts.map(({ host }: { host: string }) => host)
  assert.deepEqual(await listed(), ['own.example', 'xn--ogblgi1g.xn--mgberp4a5d4ar'])
  assert.deepEqual(await listed(`?tenant=${other!.id}`), ['xn--ogblgi1g.xn--mgberp4a5d4ar'])
  const gone = async (host: string) => (await ask('/hosts/remove', { host })).body
  assert.deepEqual(await gone('Own.example'), { host: 'own.example', removed: true })
  assert.deepEqual(await gone('own.example'), { host: 'own.example', removed: false })
  assert.equal(await tenantOfHost(door.system, 'own.example'), null)
})

test("another school's name, the platform's own, and a school that is none are refused with the field and why", async () => {
  await add('own.example')
  for (const [host, tenant, field, why] of [
    ['own.example', other!.id, 'host', /belongs to another school/],
    ['PLATFORM.example', school!.id, 'host', /the platform's own/],
    ['new.example', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'tenant', /no such school/],
  ] as const) {
    const { status, body } = await add(host, tenant)
    assert.equal(status, 422, host)
    assert.match(body.errors[field][0], why)
  }
  assert.equal(await tenantOfHost(door.system, 'own.example'), school!.id)
  assert.equal((await ask('/hosts')).body.hosts.length, 1)
})

test('what is no host name is refused', async () => {
  for (const host of [
    '',
    'localhost',
    '127.0.0.1',
    '::1',
    '[::1]',
    '1.2',
    'https://a.example',
    'a.example:80',
    'a.example/x',
    'a@b.example',
    'a b.example',
    'a_b.example',
    '-a.example',
    'a..example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    '*.example',
    7,
    null,
  ]) {
    const { status, body } = await add(host)
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['host']], String(host))
  }
  assert.deepEqual((await ask('/hosts')).body.hosts, [])
})

test('nobody but the operator asks', async () => {
  for (const [path, body] of [['/hosts'], ['/hosts', { host: 'a.example', tenant: school!.id }]] as const)
    assert.equal((await ask(path, body, 'op_wrong')).status, 401)
})
