import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enquiries } from '../samples/enquiries.ts'
import { trips } from '../samples/trips.ts'
import { scanFiles } from '../support/module.ts'

for (const [name, files] of Object.entries({ trips, enquiries })) {
  test(`the sample module ${name} has no finding, and uses exactly the scopes it requests`, async (context) => {
    const { findings, scopes } = await scanFiles(context, files)
    assert.deepEqual(findings, [])
    assert.deepEqual(scopes.used.map((use) => use.scope).sort(), [...scopes.declared].sort())
  })
}
