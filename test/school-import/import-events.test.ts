import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openEventData } from '../../host/events/event-data.ts'
import { importSchool } from '../../host/school-import/import-school.ts'
import { cipher, type Platform, startPlatform, subscribe } from '../events/support.ts'
import { createSchool, type School } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'

let platform: Platform

before(async () => {
  platform = await startPlatform()
})
after(() => platform?.close())

const importInto = ({ id }: School, files = oneRosterFiles()) =>
  importSchool(
    { database: platform.core, cipher, clock: () => new Date(), platformTimeZone: 'Asia/Riyadh' },
    id,
    encode(files),
  )

type Told = { event: string; record: unknown }

/** What an installation is to be told, in order. */
async function toldTo(installationId: string, school: School): Promise<Told[]> {
  const { rows } = await platform.database.admin.query<{ event: string; event_id: string; data: Buffer }>(
    `select d.event, d.event_id, e.data_encrypted as data from core.deliveries d
      join core.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.installation_id = $1 and d.state = 'pending' order by d.position`,
    [installationId],
  )
  return rows.map(({ event, event_id, data }) => {
    const shown = JSON.parse(openEventData(cipher, school.id, event_id, data)) as Record<string, unknown>
    return { event, record: Object.values(shown)[0] }
  })
}

const forget = () => platform.database.admin.query('truncate core.deliveries, core.events')

test('subscribers learn of what an import adds and changes as of any other change, and of nothing that was so already', async () => {
  const school = await createSchool(platform.database.admin)
  const events = ['sections', 'guardians', 'students'].flatMap((resource) =>
    ['created', 'updated'].map((action) => `education.${resource}.${action}`),
  )
  const app = await subscribe(platform, 'https://app.example/', { school, events })
  await importInto(school)
  const added = await toldTo(app.installationId, school)
  assert.deepEqual(
    added.map(({ event }) => event),
    [
      'education.sections.created',
      'education.guardians.created',
      'education.students.created',
      'education.students.created',
    ],
  )
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${app.token}` }
    return ((await (await fetch(`${platform.url}/apps${path}`, { headers })).json()) as { data: unknown[] }).data
  }
  const byId = (records: unknown[]) => records.map((one) => JSON.stringify(one)).sort()
  assert.deepEqual(byId(added.slice(2).map(({ record }) => record)), byId(await read('/education/students')))
  assert.deepEqual([added[1]!.record], await read('/education/guardians'))

  await forget()
  await importInto(school)
  assert.deepEqual(await toldTo(app.installationId, school), [])

  const files = oneRosterFiles()
  files['users.csv'] = files['users.csv']!.replace('Adam', 'Aidan')
  await importInto(school, files)
  const [changed, ...others] = await toldTo(app.installationId, school)
  assert.deepEqual(others, [])
  assert.equal(changed!.event, 'education.students.updated')
  assert.equal((changed!.record as { full_name: string }).full_name, 'Aidan "A.J." Smith')

  await forget()
  files['users.csv'] = files['users.csv']!.replace('s1,,', 's1,tobedeleted,')
  for (let time = 0; time < 2; time++) await importInto(school, files)
  const [left, ...more] = await toldTo(app.installationId, school)
  assert.deepEqual([left!.event, more], ['education.students.updated', []])
  assert.equal((left!.record as { section_id: string | null }).section_id, null)
})

test('who may not read a resource, or is of another school, learns nothing of its import; a refused import tells nobody', async () => {
  const [school, other] = [await createSchool(platform.database.admin), await createSchool(platform.database.admin)]
  const blind = await subscribe(platform, 'https://a.example/', { school, scopes: ['education.guardians.read'] })
  const elsewhere = await subscribe(platform, 'https://b.example/', { school: other })
  const reader = await subscribe(platform, 'https://c.example/', { school })
  const files = oneRosterFiles()
  files['users.csv'] = files['users.csv']!.replace('teacher,e1', 'wizard,e1')
  await assert.rejects(importInto(school, files))
  assert.deepEqual(await toldTo(reader.installationId, school), [])
  await importInto(school)
  assert.deepEqual(await toldTo(blind.installationId, school), [])
  assert.deepEqual(await toldTo(elsewhere.installationId, other), [])
  assert.equal((await toldTo(reader.installationId, school)).length, 2)
})

test('an import waits for nobody who holds a record that is so already', async () => {
  const school = await createSchool(platform.database.admin)
  await importInto(school)
  const holder = await platform.database.admin.connect()
  await holder.query('begin')
  await holder.query('select from core.students where tenant_id = $1 for update', [school.id])
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let isOver = false
  const importing = importInto(school).finally(() => {
    isOver = true
  })
  let isHeldUp = false
  while (!isOver && !isHeldUp) isHeldUp = (await platform.database.admin.query(waiting)).rowCount !== 0
  await holder.query('rollback')
  holder.release()
  await importing
  assert.equal(isHeldUp, false)
})
