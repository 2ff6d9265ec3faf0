import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importSchool } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context, countStudents } = imports

test('of two imports of one school at one time the second waits, whatever the order of their rows', async () => {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  files['users.csv'] += 's3,,,true,o1,student,s3,,Layla,Saleh,,,,,,,01,\r\n'
  const [header, ...rows] = files['users.csv']!.trimEnd().split('\r\n')
  const reversed = { ...files, 'users.csv': [header, ...rows.reverse(), ''].join('\r\n') }
  await importSchool(context, id, encode(files))
  const byHand = 'select from core.students where tenant_id = $1 and full_name like '
  await database.admin.query(
    `update core.students set full_name = left(full_name, 4) || ' by hand' where tenant_id = $1`,
    [id],
  )
  // Without turns both would wait here, each with rows written that the other is yet to write.
  const holder = await database.admin.connect()
  await holder.query('begin')
  await holder.query(`${byHand} 'Adam%' for update`, [id])
  const both = Promise.allSettled([files, reversed].map((each) => importSchool(context, id, encode(each))))
  const waiting = `select wait_event from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waits = async () => (await database.admin.query(waiting)).rows.map(({ wait_event }) => wait_event)
  while ((await waits()).length < 2) await new Promise((done) => setTimeout(done, 5))
  const events = await waits()
  await holder.query('commit')
  holder.release()
  assert.equal(events.filter((event) => event === 'advisory').length, 1, String(events))
  assert.deepEqual(
    (await both).map((settled) => (settled.status === 'rejected' ? String(settled.reason) : settled.value.released)),
    [0, 0],
  )
  assert.equal(await countStudents(id), 3)
  assert.equal((await database.admin.query(`${byHand} '%by hand'`, [id])).rowCount, 0)
})
