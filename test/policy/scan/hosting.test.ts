import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { brief, manifest, scanFiles } from '../support/module.ts'

const entry = "import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n"
const external = { integrationType: 'external' }
const foundIn = (context: TestContext) => async (changes: Record<string, unknown>, files: Record<string, string>) =>
  brief(await scanFiles(context, { 'manifest.json': manifest(changes), ...files }))

test('an app that its partner hosts brings neither code nor tables; one that runs here brings code', async (context) => {
  const found = foundIn(context)
  const table = { 'migrations/2026_01_01_000001_create_things.sql': 'create table things (id char(26) primary key);' }
  assert.deepEqual(await found(external, { 'readme.md': '' }), [])
  assert.deepEqual(await found(external, { 'src/index.ts': entry, ...table }), [
    'manifest-block migrations/2026_01_01_000001_create_things.sql:1',
    'manifest-block src/index.ts:1',
  ])
  const [own, elsewhere] = ['embedded', 'api'].map((delivery) => ({
    integrationType: 'payment',
    payment: {
      currencies: ['SAR'],
      delivery,
      ...(delivery === 'api'
        ? {
            api: {
              charge_endpoint: 'https://pay.example/c',
              refund_endpoint: 'https://pay.example/r',
              status_endpoint: 'https://pay.example/s',
              auth: 'hmac',
            },
          }
        : { embedded: { provider_class: 'pay.Provider' } }),
    },
  }))
  assert.deepEqual(await found(own!, {}), ['bundle-failed src/index.ts:1'])
  assert.deepEqual(await found(elsewhere!, {}), [])
})

test("the server that a partner runs elsewhere is not judged: another app's folder of that name is", async (context) => {
  const found = foundIn(context)
  const server = { 'server/main.ts': "import 'node:http'\n", 'server/.env': 'TOKEN=mine\n' }
  assert.deepEqual(await found(external, server), [])
  assert.deepEqual(await found({}, { 'src/index.ts': entry, ...server }), [
    'environment-file server/.env:1',
    'node-builtin server/main.ts:1',
  ])
})
