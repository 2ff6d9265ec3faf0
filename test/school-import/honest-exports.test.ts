import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importSchool } from '../../host/school-import/import-school.ts'
import { createSchool } from '../support/school.ts'
import { encode, oneRosterFiles } from './one-roster-files.ts'
import { startImports } from './support.ts'

const imports = await startImports()
after(imports.close)
const { database, context } = imports

type Files = ReturnType<typeof oneRosterFiles>

/** A school that is imported from files that were changed. */
async function imported(change: (files: Files) => void): Promise<string> {
  const { id } = await createSchool(database.admin)
  const files = oneRosterFiles()
  change(files)
  await importSchool(context, id, encode(files))
  return id
}

/** Names of the pupils that have a guardian, with the guardian's. */
async function guardiansAt(id: string): Promise<string[][]> {
  const { rows } = await database.admin.query(
    `select left(s.full_name, 4) as pupil, left(g.full_name, 4) as guardian from core.students s
      join core.guardians g on g.tenant_id = s.tenant_id and g.id = s.guardian_id where s.tenant_id = $1 order by 1`,
    [id],
  )
  return rows.map(({ pupil, guardian }) => [pupil, guardian])
}

test('a guardian may be named on the row of the pupil, and pupils on the row of the guardian; the pupil’s own counts first', async () => {
  const sons = 'g2,,,true,o1,parent,g2,,Omar,Smith,,,,+966550000008,,"s1,s2",,\r\n'
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('g1,,', `${sons}g1,,`)
  })
  assert.deepEqual(await guardiansAt(id), [
    ['Adam', 'Omar'],
    ['سارة', 'علي '],
  ])
})

test('a guardian whose row is to be deleted is nobody’s', async () => {
  const id = await imported((files) => {
    files['users.csv'] = files['users.csv']!.replace('g1,,', 'g1,tobedeleted,')
  })
  assert.deepEqual(await guardiansAt(id), [])
})
