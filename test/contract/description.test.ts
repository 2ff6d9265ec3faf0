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
