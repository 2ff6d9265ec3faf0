import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sessionOptions } from '../../host/database/session-options.ts'
import { withSession } from '../../host/database/with-session.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
after(() => database.drop())

test('no limit of a server of somebody else ends a session that rests, with the lock it holds', async () => {
  const limits = ['idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
  for (const name of limits)
    await database.admin.query(`alter database ${database.superuser.database} set ${name} = '1s'`)
  await withSession({ ...database.superuser, options: sessionOptions }, async (session) => {
    const { rows } = await session.query('select name, setting from pg_settings where name = any ($1)', [limits])
    assert.deepEqual(
      rows.map(({ setting }) => setting),
      ['0', '0', '0'],
    )
  })
})
