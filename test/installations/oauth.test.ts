import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { describeApi } from '../../partner-services/description/openapi.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { createAnswerCheck } from '../contract/support/described-answers.ts'
import { authorizePath, redirectUri, startOAuth } from './oauth-client.ts'
import { publishApp } from './support.ts'

type Form = { schema: { required: string[]; properties: object } }
type Described = { requestBody: { content: { 'application/x-www-form-urlencoded': Form } } }

const { portal, app, school, client, clock } = await startOAuth()
after(() => portal.close())

const tokens = async () =>
  (await portal.database.admin.query('select count(*)::int as count from core.installation_tokens')).rows[0].count

test('after consent the browser carries code and state to the app, which gets a token that works', async () => {
  const answer = await client.consent()
  assert.equal(answer.status, 303)
  const location = new URL(answer.headers.get('location')!)
  assert.equal(location.origin + location.pathname, 'https://registrar.example/callback')
  assert.deepEqual([location.searchParams.get('from'), location.searchParams.get('state')], ['platform', 'xyz'])
  const { status, body, headers } = await client.exchange({ code: location.searchParams.get('code')! })
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.match(body.access_token, /^pit_live_[0-9A-Za-z]{46}$/)
  assert.deepEqual([body.token_type, body.scope, body.tenant_id], ['Bearer', 'education.students.read', school.number])
  const whoami = await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${body.access_token}` } })
  assert.deepEqual(whoami.body, { tenant_id: school.number, module: app.slug, scopes: ['education.students.read'] })
})

test('client id and secret may come in the Basic header', async () => {
  const { client_id: id, client_secret: secret } = app.credentials
  const basic = Buffer.from(`${id}:${secret}`).toString('base64')
  const { status } = await portal.call('/oauth/token', {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    form: { grant_type: 'authorization_code', redirect_uri: redirectUri, code: await client.newCode() },
  })
  assert.equal(status, 200)
})

test('a wrong, reused, expired or foreign code is invalid_grant, and nothing is issued', async () => {
  const code = await client.newCode()
  assert.equal((await client.exchange({ code })).status, 200)
  const late = await client.newCode()
  const misdirected = await client.newCode()
  const other = await publishApp(portal, { redirectUrls: [redirectUri] })
  const stolen = { client_id: other.credentials.client_id, client_secret: other.credentials.client_secret }
  const before = await tokens()
  const answers = [
    await client.exchange({ code }),
    await client.exchange({ code: 'wrong' }),
    await client.exchange({ code: misdirected, redirect_uri: 'https://registrar.example/other' }),
    await client.exchange({ code: misdirected, ...stolen }),
  ]
  clock.forward(10 * 60 * 1_000)
  answers.push(await client.exchange({ code: late }))
  for (const { status, body } of answers) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  assert.equal(await tokens(), before)
})

test('a code is good for its token though the database goes away before every process has confirmed', async (t) => {
  const code = await client.newCode()
  t.mock.method(portal.context, 'grantsChanged', () => Promise.reject(new ServiceError('unavailable')))
  const { status, body } = await client.exchange({ code })
  assert.equal(status, 200)
  const headers = { authorization: `Bearer ${body.access_token}` }
  assert.equal((await portal.call('/apps/whoami', { headers })).status, 200)
})

test('a request for a token that cannot be read, or that says something twice, is invalid_request', async () => {
  const send = async (type: string, body: string) => {
    const response = await fetch(`${portal.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    return [response.status, (await response.json()) as unknown] as const
  }
  const unreadable = { error: 'invalid_request', error_description: 'the body cannot be read: send a form' }
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/json', ''],
    ['text/xml', '<code/>'],
  ] as const)
    assert.deepEqual(await send(type, body), [400, unreadable], `${type} ${body}`)
  const { client_id, client_secret } = app.credentials
  const twice = new URLSearchParams({ client_id, client_secret, grant_type: 'authorization_code' })
  twice.append('client_id', client_id)
  const [status, body] = await send('application/x-www-form-urlencoded', `${twice}`)
  assert.deepEqual([status, (body as { error: string }).error], [400, 'invalid_request'])
})

test('of many exchanges of one code at once exactly one succeeds', async () => {
  const code = await client.newCode()
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.exchange({ code })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})

test('of two codes that are exchanged at once one token stays, the other ends after 15 minutes', async () => {
  const codes = [await client.newCode(), await client.newCode()]
  const { admin } = portal.database
  let exchanging: ReturnType<typeof client.exchange>[] = []
  await inTransaction(admin, async (holding) => {
    await holding.query('select from core.installations for update')
    exchanging = codes.map((code) => client.exchange({ code }))
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await admin.query(waiting)).rowCount !== 2) await new Promise((done) => setTimeout(done, 1))
  })
  assert.deepEqual(
    (await Promise.all(exchanging)).map(({ status }) => status),
    [200, 200],
  )
  const { rows } = await admin.query('select count(*)::int from core.installation_tokens where expires_at is null')
  assert.deepEqual(rows, [{ count: 1 }])
})

test('a token that is to end ends no later because another code is exchanged', async () => {
  const next = async (): Promise<string> => (await client.exchange({ code: await client.newCode() })).body.access_token
  const first = await next()
  const status = async () =>
    (await portal.call('/apps/whoami', { headers: { authorization: `Bearer ${first}` } })).status
  await next()
  clock.forward(15 * 60_000 - 1)
  await next()
  assert.equal(await status(), 200)
  clock.forward(1)
  assert.equal(await status(), 401)
})

test('a wrong or missing client secret is invalid_client, other wrong fields are named', async () => {
  const code = await client.newCode()
  const before = await tokens()
  const wrong: Record<string, string>[] = [{ client_secret: 'x' }, { client_id: 'x' }, { client_secret: '' }]
  for (const changes of wrong) {
    const { status, body, headers } = await client.exchange({ code, ...changes })
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
    assert.match(headers.get('www-authenticate')!, /^Basic/)
  }
  assert.equal((await client.exchange({ code, grant_type: 'password' })).body.error, 'unsupported_grant_type')
  assert.equal((await client.exchange({})).body.error, 'invalid_request')
  assert.equal(await tokens(), before)
})

test('the exchange takes the fields that are described, and answers and refuses as it is described', async () => {
  const path = '/oauth/token'
  const { servers, post } = describeApi().paths[path]!
  assert.deepEqual(servers, [{ url: '/' }])
  const { schema } = (post as Described).requestBody.content['application/x-www-form-urlencoded']
  assert.deepEqual(schema.required, ['grant_type', 'code'])
  const fields = ['client_id', 'client_secret', 'code', 'grant_type', 'redirect_uri']
  assert.deepEqual(Object.keys(schema.properties).sort(), fields)
  const fault = createAnswerCheck()
  for (const [changes, status, error] of [
    [{ code: await client.newCode() }, 200],
    [{}, 400, 'invalid_request'],
    [{ code: 'x' }, 400, 'invalid_grant'],
    [{ code: 'x', grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ code: 'x', client_secret: 'x' }, 401, 'invalid_client'],
    [{ code: 'x'.repeat(66_000) }, 413, 'payload_too_large'],
  ] as const) {
    const answer = await client.exchange(changes)
    assert.deepEqual([answer.status, answer.body.error], [status, error])
    assert.equal(fault(path, 'post', answer), null)
  }
})

test('an app with one redirect URL may leave it out, and then leaves it out of the exchange too', async () => {
  const only = await publishApp(portal, { redirectUrls: ['https://one.example/back'] })
  const { client_id, client_secret } = only.credentials
  const wish = { client_id, response_type: 'code', state: 'xyz' }
  /** The fields that the consent asks to have sent back, of its page or its JSON. */
  const served = async (address: string, accept: string): Promise<Record<string, string>> => {
    const { text, body } = await portal.call(address, { as: school.id, headers: { accept } })
    if (accept === 'application/json') return { ...wish, redirect_uri: body.redirect_uri, _token: body._token }
    return Object.fromEntries(
      [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
  }
  const codeFor = async (named: Record<string, string>, accept = 'text/html') => {
    const fields = await served(authorizePath({ ...wish, ...named }), accept)
    const form = { ...fields, decision: 'approve', scopes: ['education.students.read'] }
    const { headers } = await portal.call('/oauth/authorize', { method: 'POST', as: school.id, form })
    const location = new URL(headers.get('location')!)
    assert.equal(location.origin + location.pathname, 'https://one.example/back')
    return location.searchParams.get('code')!
  }
  const exchanged = async (code: string, named: Record<string, string>) => {
    const form = { grant_type: 'authorization_code', code, client_id, client_secret, ...named }
    return (await portal.call('/oauth/token', { method: 'POST', form })).status
  }
  const named = { redirect_uri: 'https://one.example/back' }
  assert.equal(await exchanged(await codeFor({}), {}), 200)
  assert.equal(await exchanged(await codeFor({}, 'application/json'), {}), 200)
  assert.equal(await exchanged(await codeFor({}), named), 200)
  assert.equal(await exchanged(await codeFor(named), {}), 400)
  assert.equal(await exchanged(await codeFor(named), { redirect_uri: 'https://one.example/other' }), 400)
  assert.equal(await exchanged(await codeFor(named), named), 200)
})

test('a token that the app had for a code is not shown in the portal, though a later version has no redirect URL', async () => {
  const own = await publishApp(portal, { redirectUrls: [redirectUri], partnerId: 'p1' })
  const { client_id, client_secret } = own.credentials
  const { headers } = await client.consent({ client_id })
  const code = new URL(headers.get('location')!).searchParams.get('code')!
  const { installation_id: id } = (await client.exchange({ code, client_id, client_secret })).body
  await portal.database.admin.query(`update core.apps set redirect_urls = '{}' where id = $1`, [own.id])
  const path = `/partners/api/apps/${own.slug}/installations/${id}/token/show`
  assert.equal((await portal.call(path, { method: 'POST', partner: 'p1' })).status, 409)
})
