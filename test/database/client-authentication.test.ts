import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { readyDataFolder } from '../support/ready-folder.ts'

let folder: string
let server: EmbeddedDatabase
before(async () => {
  folder = readyDataFolder('partner-authentication-')
  server = await startEmbeddedDatabase(folder, { fast: true })
  await query({}, `create role m_library_rt login password 'x'; create role s_library_0123abcd login password 'x'`)
  await query({}, `create role "m_a_rt.owner" login password 'x'; create role m_open login`)
  await query({}, `create role "r_a_rt" login password 'x'; create role partner_core login password 'x' replication`)
  await query({}, 'create database partner')
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function query(as: pg.ClientConfig, text: string) {
  const client = new pg.Client({ ...server.superuser, ...as })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.query(text)
  } finally {
    await client.end()
  }
}

test("a module's role reaches the platform's database with its password, and none of the server's own", async () => {
  for (const user of ['m_library_rt', 's_library_0123abcd', 'm_a_rt.owner', 'r_a_rt']) {
    await query({ user, password: 'x', database: 'partner' }, 'select 1')
    await assert.rejects(query({ user, password: 'wrong', database: 'partner' }, 'select 1'), { code: '28P01' })
    for (const database of ['postgres', 'template1'])
      await assert.rejects(
        query({ user, password: 'x', database }, 'select 1'),
        { code: '28000' },
        `${user} ${database}`,
      )
  }
})

test('a role without a password cannot sign in, and nobody can replicate', async () => {
  await assert.rejects(query({ user: 'm_open', password: 'x', database: 'partner' }, 'select 1'), { code: '28P01' })
  const replicating = { user: 'partner_core', password: 'x', database: 'partner', replication: 'true' }
  await assert.rejects(query(replicating as pg.ClientConfig, 'IDENTIFY_SYSTEM'), { code: '28000' })
})

test('every line asks for a password by the socket, or refuses', async () => {
  const { rows } = await query({}, 'select type, auth_method from pg_hba_file_rules where error is null')
  const errors = await query({}, 'select from pg_hba_file_rules where error is not null')
  assert.equal(errors.rowCount, 0)
  assert.ok(rows.length >= 3)
  for (const { type, auth_method } of rows) {
    assert.ok(['scram-sha-256', 'reject'].includes(auth_method))
    assert.equal(type, process.platform === 'win32' ? 'host' : 'local')
  }
})
