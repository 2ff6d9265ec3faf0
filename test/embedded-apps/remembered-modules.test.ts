import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createInstalledModules } from '../../host/embedded-apps/installed-modules.ts'
import { publicSigningKey } from '../../host/security/keys.ts'
import { followTokenEpoch, untilConfirmed } from '../../host/security/token-epoch.ts'
import { installModule } from '../pages/support.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'

const database = await createTestDatabase()
const system = new pg.Pool({ ...database.connection.system, max: 2 })
const epoch = followTokenEpoch(database.connection.system)
after(async () => {
  await epoch.close()
  await system.end()
  await database.drop()
})
const school = await createSchool(database.admin)
await installModule(database, school, 'remembered')

const ofApp = 'where app_id = (select id from core.apps where slug = $1)'

let asked = 0
const counting = {
  query(...all: Parameters<typeof system.query>) {
    asked++
    return system.query(...all)
  },
}
const modules = createInstalledModules({
  system: counting as unknown as pg.Pool,
  publicKey: createPublicKey(publicSigningKey(testHostKey)),
  codeCacheMaker: 'this engine',
  epoch,
  clock: () => new Date('2026-11-21T08:00:00Z'),
  report: assert.fail,
})
const find = () => modules.find(school.id, 'remembered')

async function remembered(): Promise<void> {
  await untilConfirmed(system)
  // One that has just begun has confirmed nothing yet, and is waited for by nobody.
  while (epoch.current() === null) await pause(5)
  await find()
  const before = asked
  await find()
  assert.equal(asked, before)
}

test('an installation that was found is found again without the database', remembered)

for (const [what, sql, seen] of [
  ['the app’s name', `update core.apps set display_name = 'Another' where slug = $1`, { displayName: 'Another' }],
  [
    'what stopped the app',
    `update core.apps set disabled_reason = 'stopped' where slug = $1`,
    { disabledReason: 'stopped' },
  ],
  ['that it runs again', 'update core.apps set disabled_reason = null where slug = $1', { disabledReason: null }],
  ['its limits', `update core.apps set limits = '{"cpuMs": 500}' where slug = $1`, { limits: { cpuMs: 500 } }],
  [
    'what the school stopped it for',
    `update core.installations set status = 'disabled', disabled_reason = 'asked' ${ofApp}`,
    { disabledReason: 'asked' },
  ],
  [
    'why, said otherwise',
    `update core.installations set disabled_reason = 'again' ${ofApp}`,
    { disabledReason: 'again' },
  ],
  ['its settings', `update core.installations set settings = '{"a": 1}' ${ofApp}`, { settings: { a: 1 } }],
  [
    'its scopes',
    `update core.installations set granted_scopes = '{core_reference:students}' ${ofApp}`,
    { scopes: new Set(['core_reference:students']) },
  ],
  ['a draft’s manifest', `update core.app_versions set manifest = '{"b": 2}' ${ofApp}`, { manifest: { b: 2 } }],
] as const)
  test(`of a change no process answers from memory once it is confirmed: ${what}`, async () => {
    await remembered()
    const before = asked
    await database.admin.query(sql, ['remembered'])
    await untilConfirmed(system)
    const found = await find()
    assert.equal(asked, before + 1)
    assert.partialDeepStrictEqual(found, seen)
  })

const rename = `update core.tenants set name = name || '.' where id = any ($1)`
const settle = `update core.installations set settings = '{"c": 3}'`
const raise = 'update core.token_epoch set number = number + 1'
/** Of changes of two schools the notes are gone before this process could read them. */
const lose = `begin; ${rename.replace('$1', `array['TENANT']`)}; set constraints all immediate; delete from core.epoch_changes; commit`

test('a change at one school leaves what is remembered of another', async () => {
  const elsewhere = await createSchool(database.admin)
  await installModule(database, elsewhere, 'another')
  const found = () => modules.find(elsewhere.id, 'another')
  const isForgotten = async (change: () => Promise<unknown>) => {
    await remembered()
    await found()
    const before = asked
    const heard = epoch.current()
    await change()
    // An epoch that is lower than before, as in a restored database, is confirmed already.
    while (epoch.current() === heard) await pause(5)
    await found()
    const forgotten = asked > before
    // Whatever becomes of the other's, what is of the school that changed is read anew.
    await find()
    assert.equal(asked, before + 1 + Number(forgotten))
    return forgotten
  }
  const { admin } = database
  const one = [school.id]
  assert.equal(await isForgotten(() => admin.query(rename, [one])), false)
  assert.equal(await isForgotten(() => admin.query(`${settle} where tenant_id = $1`, one)), false)
  assert.equal(await isForgotten(() => admin.query(rename, [[school.id, elsewhere.id]])), true)
  assert.equal(await isForgotten(() => admin.query(raise)), true)
  assert.equal(await isForgotten(() => admin.query('update core.token_epoch set number = number - 3')), true)
  // Of two of these epochs a note stands there still, of another change.
  for (const _raised of [1, 2]) assert.equal(await isForgotten(() => admin.query(rename, [one])), true)
  assert.equal(await isForgotten(() => admin.query(lose.replace('TENANT', school.id))), true)
  assert.equal(await isForgotten(() => admin.query(rename, [one])), false)
})

test('one that is gone is found no more, and what is not there is asked for each time', async () => {
  await remembered()
  await database.admin.query(`update core.installations set status = 'uninstalled' ${ofApp}`, ['remembered'])
  await untilConfirmed(system)
  const before = asked
  assert.deepEqual([await find(), await find()], [null, null])
  assert.equal(asked, before + 2)
})
