import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { listInstallations } from '../../host/installations/list-installations.ts'
import { launchChromium, skipLooks } from '../pages/chromium.ts'
import { createSchool } from '../support/school.ts'
import { authorizePath, redirectUri, startOAuth } from './oauth-client.ts'
import { publishApp, publishVersion, standardScopes } from './support.ts'

const { portal, school, client } = await startOAuth()
after(() => portal.close())

test('the consent page shows each scope with its reason, dangerous ones in warning style, and runs no script', async () => {
  const { status, text, headers } = await portal.call(authorizePath(client.request()), { as: school.id })
  assert.equal(status, 200)
  assert.match(text, /Mirrors students/)
  assert.match(text, /host-scope-dangerous[\s\S]*education\.face_embeddings\.read[\s\S]*Opens &lt;gates&gt;/)
  assert.match(headers.get('content-security-policy')!, /script-src 'none'.*form-action 'self' https:;/)
})

test('the consent page says for which school it is and who is signed in, and keeps a reason’s own direction', async () => {
  const { text } = await portal.call(authorizePath(client.request()), {
    as: school.id,
    headers: { 'accept-language': 'ar' },
  })
  assert.match(text, /لطيفة<[\s\S]*مدرسة النور<[\s\S]*action="\/sign-out"/)
  assert.match(text, /<bdi>Registrar<\/bdi>[\s\S]*<bdi>مدرسة النور<\/bdi>/)
  assert.match(text, /<bdi>Mirrors students<\/bdi>/)
})

test('a browser arrives wherever the app’s own address sends it, whatever was decided', {
  skip: skipLooks,
}, async (t) => {
  const addresses: string[] = []
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const welcome = await listen((request, response) => {
    if (request.url!.startsWith('/welcome')) addresses.push(request.url!)
    response.end('welcome')
  })
  const callback = await listen((request, response) => {
    response.writeHead(302, {
      location: `${welcome}/welcome?${new URL(request.url!, callback).searchParams.keys().next().value}`,
    })
    response.end()
  })
  const own = await publishApp(portal, { redirectUrls: [`${callback}/cb`] })
  const request = { ...client.request({ client_id: own.credentials.client_id }), redirect_uri: `${callback}/cb` }
  const chrome = await launchChromium()
  t.after(() => chrome.close())
  const page = await chrome.newPage({ extraHTTPHeaders: { 'x-test-school': school.id } })
  page.setDefaultTimeout(10_000)
  for (const decision of ['approve', 'deny']) {
    await page.goto(portal.url + authorizePath(request))
    await page.click(`button[name=decision][value=${decision}]`)
    await page.waitForURL(`${welcome}/**`)
  }
  assert.deepEqual(addresses, ['/welcome?code', '/welcome?error'])
})

test('an app that has a name in Arabic is shown by it to who reads Arabic', async () => {
  const named = await publishApp(portal, { redirectUrls: [redirectUri] })
  const name = `update core.app_versions set manifest = manifest || '{"displayName":{"ar":"القبول","en":"Admission"}}' where app_id = $1`
  await portal.database.admin.query(name, [named.id])
  for (const [locale, shown] of [
    ['ar', 'القبول'],
    ['en', 'Admission'],
  ] as const) {
    const address = authorizePath(client.request({ client_id: named.credentials.client_id }))
    const { text } = await portal.call(address, { as: school.id, headers: { 'accept-language': locale } })
    assert.match(text, new RegExp(`<bdi>${shown}</bdi>`))
  }
})

test('a page of consent opened again shows what the school decided, and approving it as it stands changes nothing', async () => {
  const own = await publishApp(portal, { redirectUrls: [redirectUri] })
  const other = await createSchool(portal.database.admin)
  const request = client.request({ client_id: own.credentials.client_id })
  const shown = async () => (await portal.call(authorizePath(request), { as: other.id })).text
  const tickedOn = (page: string) => {
    const sent = page.match(/<input (?=[^>]*name="scopes")(?=[^>]*(type="hidden"| checked))[^>]*>/g) ?? []
    return sent.map((box) => /value="([^"]+)"/.exec(box)![1]!)
  }
  const approve = async (page: string, scopes: string[]) => {
    const [, _token = ''] = /<form method="post">.*?name="_token" value="([^"]+)"/s.exec(page) ?? []
    const form = { ...request, _token, decision: 'approve', scopes }
    assert.equal((await portal.call('/oauth/authorize', { method: 'POST', as: other.id, form })).status, 303)
    return (await listInstallations(portal.system, other.id))[0]!.granted_scopes
  }
  const first = await shown()
  assert.match(first, /<h1>Install an app</)
  assert.doesNotMatch(first, />new</)
  assert.deepEqual(tickedOn(first), ['education.students.read', 'education.students.write'])
  const decided = ['education.students.read', 'education.face_embeddings.read']
  assert.deepEqual(await approve(first, decided), decided)

  const again = await shown()
  assert.match(again, /<h1>Change what an app may see</)
  assert.deepEqual(tickedOn(again), decided)
  assert.doesNotMatch(again, />new</)
  assert.deepEqual(await approve(again, tickedOn(again)), decided)

  const grades = { key: 'education.grades.read', required: false, reason: 'Names classes' }
  const employees = { key: 'employees.directory.read', required: true, reason: 'Names teachers' }
  await publishVersion(portal, own.id, '1.1.0', [...standardScopes, grades, employees])
  const changed = await shown()
  assert.deepEqual(tickedOn(changed), [...decided, grades.key, employees.key])
  assert.equal(changed.match(/>new</g)?.length, 2)
})

test('a foreign redirect URL or an unknown app is told to the user and never redirected to', async () => {
  const wrong: Record<string, string>[] = [
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: `${redirectUri}&x=1` },
    { client_id: 'app_x' },
  ]
  for (const changes of wrong) {
    const { status, body, headers } = await portal.call(authorizePath(client.request(changes)), { as: school.id })
    assert.deepEqual([status, body.error, headers.get('location')], [400, 'invalid_request', null])
  }
})

test('a missing state, another response type and a refusal go back to the app as errors', async () => {
  const { state: _, ...stateless } = client.request()
  for (const [fields, error] of [
    [stateless, 'invalid_request'],
    [client.request({ response_type: 'token' }), 'unsupported_response_type'],
  ] as const) {
    const { status, headers } = await portal.call(authorizePath(fields), { as: school.id })
    assert.deepEqual([status, new URL(headers.get('location')!).searchParams.get('error')], [303, error])
  }
  const denied = new URL((await client.consent({ decision: 'deny' })).headers.get('location')!)
  assert.deepEqual([denied.searchParams.get('error'), denied.searchParams.get('state')], ['access_denied', 'xyz'])
})

test('a required scope left out, or one that was not requested, is invalid_scope', async () => {
  for (const scopes of [[], ['education.students.read', 'education.guardians.read']]) {
    const location = new URL((await client.consent({ scopes })).headers.get('location')!)
    assert.equal(location.searchParams.get('error'), 'invalid_scope')
    assert.equal(location.searchParams.get('code'), null)
  }
})

test('nobody signed in cannot consent, and a form of another site is refused', async () => {
  assert.equal((await portal.call(authorizePath(client.request()))).status, 401)
  assert.equal((await client.consent({ _token: 'forged' })).status, 419)
})

test('a person who is not signed in is asked to, and comes back to the consent', async () => {
  const address = authorizePath(client.request({ state: 's'.repeat(1_024) }))
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const { status, headers } = await portal.call(address, { headers: { accept } })
  assert.equal(status, 303)
  const location = new URL(headers.get('location')!, portal.url)
  assert.deepEqual([location.pathname, location.searchParams.get('next')], ['/sign-in', address])
})

test('a form that is too old is told to a person as a page', async () => {
  const form = { ...client.request(), _token: 'old', decision: 'approve' }
  const headers = { accept: 'text/html' }
  const answer = await portal.call('/oauth/authorize', { method: 'POST', as: school.id, form, headers })
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [419, 'text/html; charset=utf-8'])
})
