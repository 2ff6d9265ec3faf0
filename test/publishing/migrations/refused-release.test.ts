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

/** Approved versions of an app, by the code of their bundles. */
async function approve(slug: string, versions: Record<string, string>) {
  const { admin } = publisher
  await admin.query(
    `insert into core.apps (id, slug, integration_type, display_name) values ($1, $1, 'embedded', 'Loans')`,
    [slug],
  )
  for (const [version, code] of Object.entries(versions)) {
    const hash = `${slug}${version}`.padEnd(64, '0')
    await admin.query(`insert into core.app_bundles (hash, code, source_map) values ($1, $2, '{}')`, [hash, code])
    await admin.query(
      `insert into core.app_versions (id, app_id, version, state, manifest, bundle_hash) values ($1, $2, $3, 'approved', '{}', $1)`,
      [hash, slug, version],
    )
  }
}

test('a version that uses what a release dropped whose files it lacks is refused; another one without them is not', async () => {
  const { bring } = publisher
  await approve('beside', { '2.0.0': 'select id, fee from loans', '1.0.1': 'select id from loans' })
  assert.deepEqual(await bring('beside', '2.0.0', [base]), [base.file])
  const drop = migration(2, 'alter table loans drop column fee')
  assert.deepEqual(await bring('beside', '1.1.0', [base, drop]), [drop.file])
  const reason = `2.0.0 uses what another release dropped (loans.fee), and lacks what is applied (2026_01_01_000002_step): publish a new version instead`
  const [file, line] = ['migrations/2026_01_01_000002_step', 1]
  await assert.rejects(bring('beside', '2.0.0', [base]), {
    message: reason,
    report: { findings: [{ rule: 'changed', severity: 'error', file, line, message: reason }] },
  })
  assert.deepEqual(await bring('beside', '1.0.1', [base]), [])
  assert.deepEqual(await bring('beside', '2.0.0', [base, drop]), [])
})

test('what one release makes and renames in a later file is gone for a version without that file', async () => {
  const { bring } = publisher
  await approve('renamed', { '2.0.0': 'select amount from fees' })
  const create = migration(2, 'create table fees (id text primary key, amount int)')
  const rename = migration(3, 'alter table fees rename column amount to total')
  await bring('renamed', '1.0.0', [base])
  await bring('renamed', '1.1.0', [base, create, rename])
  await assert.rejects(
    bring('renamed', '2.0.0', [base, create]),
    /2\.0\.0 uses what another release dropped \(fees\.amount\)/,
  )
})

test('a release that brings the file that dropped a column is published, though it lacks another that only added', async () => {
  const { bring } = publisher
  await approve('brings', { '1.2.0': 'select id, student.fee from loans', '1.0.1': 'select id, fee from loans' })
  const drop = migration(2, 'alter table loans drop column fee')
  await bring('brings', '1.0.0', [base])
  await bring('brings', '1.1.0', [base, drop])
  await bring('brings', '1.1.1', [base, drop, colour])
  assert.deepEqual(await bring('brings', '1.2.0', [base, drop]), [])
  await assert.rejects(bring('brings', '1.0.1', [base]), /uses what another release dropped \(loans\.fee\)/)
})

test('a column that is gone, and nobody saw which file took it, is gone for every version that lacks a file', async () => {
  const { admin, bring } = publisher
  await approve('unseen', { '1.2.0': 'select id, fee from loans' })
  const drop = migration(2, 'alter table loans drop column fee')
  await bring('unseen', '1.0.0', [base])
  await bring('unseen', '1.1.0', [base, drop, colour])
  // As the rows are that an older host wrote, and after a publisher that was killed between a migration and its note.
  await admin.query(`update core.module_columns set taken_by = null where app_id = 'unseen'`)
  await assert.rejects(bring('unseen', '1.2.0', [base, drop]), /uses what another release dropped \(loans\.fee\)/)
  assert.deepEqual(await bring('unseen', '1.2.0', [base, drop, colour]), [])
})
