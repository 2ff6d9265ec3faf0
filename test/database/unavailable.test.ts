import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isLate, isUnavailable } from '../../host/database/unavailable.ts'
import { moduleError, type ServerError } from '../../host/module-database/errors.ts'
import { createTestDatabase } from '../support/database.ts'

const thrownBy = (work: () => Promise<unknown>) =>
  work().then(
    () => assert.fail('it works'),
    (error: unknown) => error,
  )

test('a database that is away is told apart from one that refuses a statement', async () => {
  const database = await createTestDatabase()
  const client = new pg.Client(database.superuser)
  client.on('error', () => {})
  await client.connect()
  try {
    assert.equal(isUnavailable(await thrownBy(() => client.query('select 1 / 0'))), false)
    assert.equal(isUnavailable(await thrownBy(() => client.query('select * from nowhere'))), false)
    assert.ok(isUnavailable(await thrownBy(() => client.query('select pg_terminate_backend(pg_backend_pid())'))))
    assert.ok(isUnavailable(await thrownBy(() => client.query('select 1'))))
    assert.ok(isUnavailable(await thrownBy(() => new pg.Client({ ...database.superuser, host: '/nowhere' }).connect())))
  } finally {
    await client.end()
    await database.drop()
  }
  assert.equal(isUnavailable(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' })), false)
})

/** Disk full, out of memory, a disk that fails, a server that is read-only while another takes its place. */
const passing = ['53100', '53200', '58030', '25006']

test('a server that can write nothing for now is away, not at fault: callers may come back, logs wait', () => {
  for (const code of passing) assert.ok(isUnavailable(Object.assign(new Error('full'), { code })), code)
})

test('a module learns that the database is away, whatever the system calls it', () => {
  for (const code of ['EPIPE', 'ECONNRESET', '57P01', '08006', '53100', '25006', undefined])
    assert.equal(moduleError(Object.assign(new Error('away'), { code }) as ServerError).code, 'unavailable')
  assert.equal(moduleError(Object.assign(new Error('x'), { code: 'XX000' }) as ServerError).code, 'sql_error')
})

test('what waited too long for a lock or a connection that others have is no database that is away', async () => {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ ...database.superuser, max: 1 })
  const client = await pool.connect()
  pool.options.connectionTimeoutMillis = 20
  try {
    const full = await thrownBy(() => pool.connect())
    await client.query('set statement_timeout = 20')
    const slow = await thrownBy(() => client.query('select pg_sleep(10)'))
    for (const error of [full, slow]) assert.deepEqual([isLate(error), isUnavailable(error)], [true, true])
    const away = await thrownBy(() => client.query('select pg_terminate_backend(pg_backend_pid())'))
    assert.deepEqual([isLate(away), isUnavailable(away)], [false, true])
  } finally {
    client.on('error', () => {}).release(true)
    await pool.end()
    await database.drop()
  }
})
