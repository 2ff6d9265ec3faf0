import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPublisher } from './module-support.ts'
import { migration } from './support.ts'

let publisher: Awaited<ReturnType<typeof startPublisher>>
before(async () => {
  publisher = await startPublisher()
})
after(() => publisher?.stop())

const base = migration(1, 'create table loans (id text primary key, fee int)')
const colour = migration(3, 'alter table loans add column colour text')
const size = migration(4, 'alter table loans add column size text')

test('a release that the live schema refuses leaves the sandbox as it is, with its rows', async () => {
  const { admin, bring } = publisher
  await bring('overtaken', '1.0.0', [base])
  await bring('overtaken', '1.1.0', [base, size])
  await admin.query(`insert into s_overtaken.loans (id, tenant_id) values ('1', '01J00000000000000000000000')`)
  const changed = { ...base, checksum: 'other' }
  for (const [files, reason] of [
    [[base, colour], /is older than .*, which is applied: give it a later time$/],
    [[changed, size], /was changed after it was applied: add a later migration instead$/],
  ] as const)
    await assert.rejects(bring('overtaken', '2.0.0', [...files]), { message: reason })
  const { rows } = await admin.query('select id from s_overtaken.loans')
  assert.deepEqual(rows, [{ id: '1' }])
})
