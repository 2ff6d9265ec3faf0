import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ulid } from 'ulid'
import type { Caller } from '../../partner-services/service/caller.ts'
import { createAccessLog } from '../../host/http/access-log.ts'
import { openPool } from '../../host/database/open-pool.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
const system = openPool({ ...database.connection.system, max: 1 })
after(async () => {
  await system.end()
  await database.drop()
})
const at = new Date('2026-11-21T08:00:00.123Z')

const callerOf = (changes: { app?: string; viewer?: string | null }) =>
  ({
    tenant: { id: 'tenant' },
    app: { slug: changes.app ?? 'library' },
    installation: { id: 'installation' },
    viewer: changes.viewer ? { id: changes.viewer } : null,
  }) as unknown as Caller

function openLog() {
  const failures: unknown[] = []
  const log = createAccessLog(
    system,
    () => at,
    (error) => failures.push(error),
  )
  return { log, failures }
}

test('who read what is written as it was, whatever the texts hold', async () => {
  const { log, failures } = openLog()
  const ids = [ulid(), ulid()]
  log.record(callerOf({ viewer: 'NULL' }), 'education.students.list', ids)
  log.record(callerOf({ app: 'a"b\\c,{d}\'' }), 'education.students.get', [])
  await log.flush()
  assert.deepEqual(failures, [])
  const { rows } = await database.admin.query(
    'select at, app, viewer_id, operation, record_ids from core.access_log order by operation desc',
  )
  assert.deepEqual(rows, [
    { at, app: 'library', viewer_id: 'NULL', operation: 'education.students.list', record_ids: ids },
    { at, app: 'a"b\\c,{d}\'', viewer_id: null, operation: 'education.students.get', record_ids: [] },
  ])
})

test('what was read while the database ended our connection is written once it lets us in again', async () => {
  const { log, failures } = openLog()
  const holder = await database.admin.connect()
  await holder.query('begin')
  await holder.query('lock table core.access_log in exclusive mode')
  log.record(callerOf({ app: 'kept' }), 'education.students.get', [])
  const flushed = log.flush()
  for (;;) {
    const { rowCount } = await holder.query(
      'select pg_terminate_backend(pid) from pg_locks where relation = $1::regclass and not granted',
      ['core.access_log'],
    )
    if (rowCount) break
  }
  await flushed
  assert.equal(failures.length, 1)
  await holder.query('rollback')
  holder.release()
  await log.flush()
  const { rows } = await database.admin.query(`select app from core.access_log where app = 'kept'`)
  assert.deepEqual([rows.length, failures.length], [1, 1])
})
