import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fixedPaths, readSettings } from '../../host/config.ts'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})

after(() => door?.close())

async function ask(method: string, url: string, token?: string): Promise<[number, string, string | undefined]> {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const answer = await door.server.inject({ method: method as 'GET', url, headers })
  return [answer.statusCode, answer.json().error, answer.headers.allow as string | undefined]
}

test('whatever door a path belongs to, another method than its own is 405 and says which it takes', async () => {
  for (const [method, url, allow] of [
    ['PUT', '/sign-in', 'GET, HEAD, POST'],
    ['PUT', '/sign-in/?next=/', 'GET, HEAD, POST'],
    ['GET', '/sign-out', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/readyz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['PATCH', '/docs', 'GET, HEAD'],
    ['DELETE', '/docs/openapi.json', 'GET, HEAD'],
    ['GET', '/contacts/api/v1/contacts', 'POST'],
    ['POST', '/partners/api/partners/permissions/catalog', 'GET, HEAD'],
    ['GET', '/oauth/token', 'POST'],
    ['PUT', '/apps/education/students/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'GET, HEAD, PATCH'],
  ] as const)
    assert.deepEqual(await ask(method, url), [405, 'method_not_allowed', allow], `${method} ${url}`)
})

test('a path that nobody has is 404 with every method', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
    for (const url of ['/nowhere', '/sign-in/x', '/docs/x', '/operator', '/partners', '/apps/x', '/contacts'])
      assert.deepEqual(await ask(method, url), [404, 'not_found', undefined], `${method} ${url}`)
})

test('a name that is longer than any, or holds NUL, is absent like another: who has no key is asked for it first', async () => {
  for (const name of ['a'.repeat(101), 'a'.repeat(8_000), 'a%00']) {
    for (const url of [
      `/apps/education/students/${name}`,
      `/sandbox/apps/education/students/${name}`,
      `/operator/apps/${name}`,
    ])
      assert.deepEqual(await ask('GET', url), [401, 'unauthenticated', undefined], url)
    for (const url of [`/nowhere/${name}`, `/apps/nowhere/${name}`])
      assert.deepEqual(await ask('GET', url), [404, 'not_found', undefined], url)
    const { app } = (
      await door.server.inject({ url: `/operator/apps/${name}`, headers: { authorization: `Bearer ${operatorToken}` } })
    ).json()
    assert.equal(app ?? null, null)
  }
})

test('behind the doors of operators and partners only who is let in learns which methods a path takes', async () => {
  for (const [method, url, allow] of [
    ['GET', '/operator/publish', 'POST'],
    ['DELETE', '/operator/limits', 'GET, HEAD, POST'],
    ['PUT', '/partners/api/apps', 'GET, HEAD, POST'],
  ] as const) {
    const encoded = `/%${url.charCodeAt(1).toString(16)}${url.slice(2)}`
    for (const hidden of [url, encoded, `http://other${url}`, `${url}/?x=1`]) {
      assert.deepEqual(await ask(method, hidden), [404, 'not_found', undefined], hidden)
      assert.deepEqual(await ask(method, hidden, 'op_wrong'), [404, 'not_found', undefined], hidden)
    }
    for (const known of [url, encoded])
      assert.deepEqual(await ask(method, known, operatorToken), [405, 'method_not_allowed', allow], known)
  }
})

test('every address is below a path that a setting names or that is known as fixed', () => {
  const { BASE_PATH, SANDBOX_BASE_PATH, PARTNERS_PATH, DOCS_PATH, CONTACTS_PATH } = readSettings({})
  const known = [...fixedPaths, BASE_PATH, SANDBOX_BASE_PATH, PARTNERS_PATH, DOCS_PATH, CONTACTS_PATH]
  const tree = door.server.printRoutes({ commonPrefix: false })
  const paths = [...tree.matchAll(/^ {4}[├└]── (\S+)/gm)].map(([, path]) => `/${path}/`)
  assert.ok(paths.length > known.length)
  assert.deepEqual(
    paths.filter((path) => !known.some((one) => path.startsWith(`${one}/`))),
    [],
  )
  for (const one of known)
    assert.ok(
      paths.some((path) => path.startsWith(`${one}/`)),
      one,
    )
})

test('an address that cannot be decoded is 400 with every method; what stands in its query does not count', async () => {
  for (const method of ['GET', 'PUT', 'DELETE'])
    for (const url of ['/%ff', '/a%2', '/%2f%ff', '/operator/%E0%A4%A', '/sign-in%'])
      assert.deepEqual(await ask(method, url), [400, 'bad_request', undefined], `${method} ${url}`)
  assert.equal((await ask('PUT', '/sign-in?%ff=%'))[0], 405)
})
