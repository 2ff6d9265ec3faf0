import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operations } from '../../partner-services/registry.ts'
import { errorCatalogue } from '../../partner-services/service/errors.ts'
import { manifestJsonSchema } from '../../policy/manifest/schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { runTool } from './support/run-tool.ts'

let database: TestDatabase
let web: TestWeb
let folder: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'partner-description-'))
  database = await createTestDatabase()
  web = await startWeb(database)
})

after(async () => {
  await web?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('the description is OpenAPI 3.1 without a finding of the recommended rules', async () => {
  const { body } = await web.call('/docs/openapi.json')
  assert.deepEqual([body.openapi, body.info.version], ['3.1.0', '1.0.0'])
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(body))
  const { code, output } = await runTool(
    folder,
    ['@redocly/cli', 'bin/cli.js'],
    'lint',
    'openapi.json',
    '--extends=recommended',
  )
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /warning/i)
})

test('every operation is described with its scope, an example and every error', async () => {
  const { body } = await web.call('/docs/openapi.json')
  for (const { name, scope, http, status } of operations) {
    const described = body.paths[http.path][http.method.toLowerCase()]
    assert.equal(described.operationId, name)
    assert.equal(described['x-scope'], scope)
    assert.ok('example' in described.responses[status].content['application/json'], name)
    for (const expected of [400, 401, 429, 500, 503, ...(scope ? [403] : [])])
      assert.ok(described.responses[expected], `${name} ${expected}`)
  }
})

test('every code of the runtime API is shown in the description with its message', async () => {
  const { body } = await web.call('/docs/openapi.json')
  const shown = Object.values(body.components.responses).flatMap((response) =>
    Object.entries(
      (response as { content: { 'application/json': { examples: Record<string, { value: { message: string } }> } } })
        .content['application/json'].examples,
    ),
  )
  for (const [code, { value }] of shown) {
    const { en } = errorCatalogue[code as keyof typeof errorCatalogue]
    assert.equal(value.message, en.replace('{scope}', 'education.students.read'))
  }
  assert.ok(shown.length >= 14)
})

test('of the codes of a conflict only those of idempotency keys are of the runtime API, and a refusal may be a replayed one', async () => {
  const { responses } = (await web.call('/docs/openapi.json')).body.components
  const codes = responses.Error409.content['application/json'].schema.properties.error.enum
  assert.deepEqual(codes, ['idempotency_conflict', 'idempotency_in_progress'])
  const replayed = Object.keys(responses).filter((name) => 'Idempotency-Replayed' in responses[name].headers)
  assert.deepEqual(replayed, ['Error404', 'Error422'])
})

test('the description names both bases', async () => {
  const { body } = await web.call('/docs/openapi.json')
  const urls = body.servers.map(({ url }: { url: string }) => url)
  assert.deepEqual(urls, [`${web.url}/apps`, `${web.url}/sandbox/apps`])
})

test('a body is required where a field of it is: a change may hold none', async () => {
  const { body } = await web.call('/docs/openapi.json')
  for (const { name, http } of operations.filter(({ writes }) => writes)) {
    const { requestBody } = body.paths[http.path][http.method.toLowerCase()]
    const { schema } = requestBody.content['application/json']
    assert.equal(requestBody.required, schema.required !== undefined, name)
    assert.equal(requestBody.required, http.method === 'POST', name)
  }
})

test('the scope catalog is described with the header that asks for changes and those that answer it', async () => {
  const path = '/api/partners/permissions/catalog'
  const described = (await web.call('/docs/openapi.json')).body.paths[path].get
  assert.deepEqual(
    described.parameters.map((one: { name: string; in: string }) => [one.name, one.in]),
    [['If-None-Match', 'header']],
  )
  const { headers: first } = await web.call(`/partners${path}`)
  for (const [status, sent] of [
    [200, {}],
    [304, { 'if-none-match': first.get('etag')! }],
  ] as const) {
    const answer = await web.call(`/partners${path}`, { headers: sent })
    assert.equal(answer.status, status)
    const names = Object.keys(described.responses[status].headers)
    assert.deepEqual(names, ['X-Request-Id', 'ETag', 'Cache-Control'])
    for (const name of names) assert.ok(answer.headers.has(name), `${status} ${name}`)
  }
})

test('every writable resource has its events with a schema of their data', async () => {
  const { body } = await web.call('/docs/openapi.json')
  for (const { event } of operations.filter((operation) => operation.writes)) {
    const { properties } = body.webhooks[event!].post.requestBody.content['application/json'].schema
    assert.deepEqual(properties.event, { const: event })
    assert.equal(properties.data.type, 'object')
  }
})

test('the reference page and its script come from this host', async () => {
  const page = await fetch(`${web.url}/docs/`)
  const html = await page.text()
  assert.equal(page.status, 200)
  assert.deepEqual(
    [...html.matchAll(/(?:src|href)="(https?:)?\/\/[^"]+"/g)].map(([text]) => text),
    [],
  )
  const script = /src="([^"]+\.js)"/.exec(html)![1]!
  assert.equal((await fetch(new URL(script, `${web.url}/docs/`))).status, 200)
})

test('the reference page sends nothing anywhere else, nor offers to', async () => {
  const page = await fetch(`${web.url}/docs/`)
  const policy = page.headers.get('content-security-policy')!
  for (const rule of ["default-src 'none'", "connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.split('; ').includes(rule), rule)
  const html = await page.text()
  for (const offer of ['agent', 'mcp']) assert.match(html, new RegExp(`"${offer}": \\{\\s*"disabled": true`), offer)
  assert.match(html, /"showDeveloperTools": "never"/)
})

test('editors find the schema of manifests at the address it names as its own', async () => {
  const { status, headers, body } = await web.call('/docs/manifest.schema.json')
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/schema+json; charset=utf-8'])
  const { $id, ...schema } = body
  assert.equal($id, `${web.url}/docs/manifest.schema.json`)
  assert.deepEqual(schema, JSON.parse(JSON.stringify(manifestJsonSchema())))
})
