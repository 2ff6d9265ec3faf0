import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { prepareDatabase } from '../../host/database/prepare.ts'
import { coreRoles, roleSuffix } from '../../host/database/roles.ts'
import { testHostKey, useCluster } from '../support/cluster.ts'

const cluster = await useCluster()
const server = new pg.Client(cluster.superuser)
await server.connect()
const name = `made_${randomBytes(4).toString('hex')}`
const copy = `${name}_copy`
after(async () => {
  for (const database of [name, copy]) await server.query(`drop database if exists ${database}`)
  for (const role of [...rolesOf(name), ...rolesOf(copy)]) await server.query(`drop role if exists ${role}`)
  await server.end()
  await cluster.stop()
})
const rolesOf = (database: string) => Object.values(coreRoles(roleSuffix(database, false)))
await server.query(`create database ${name}`)

const prepare = (database: string, hostKey = testHostKey) =>
  prepareDatabase({ ...cluster.superuser, database }, { hostKey, database, embedded: false })

async function sql(text: string): Promise<unknown[]> {
  const client = new pg.Client({ ...cluster.superuser, database: name })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('a database is prepared again and again under the name and the key it was made with', async () => {
  await prepare(name)
  await prepare(name)
})

test('another key is refused: nobody could read what is sealed', async () => {
  await assert.rejects(prepare(name, randomBytes(32)), {
    message: 'HOST_KEY takes the key that this database was made with; this is another',
  })
  await prepare(name)
})

test('one of a release that wrote down no key learns it at its next start, and no wrong one', async () => {
  await sql('delete from platform.host_key')
  await assert.rejects(prepare(name, randomBytes(32)), /HOST_KEY takes the key/)
  await prepare(name)
  await assert.rejects(prepare(name, randomBytes(32)), /HOST_KEY takes the key/)
})

test('a copy under another name is refused before anything is changed, and told whose roles it has', async () => {
  await server.query(`create database ${copy} template ${name}`)
  const [role] = rolesOf(name)
  await assert.rejects(prepare(copy), {
    message: `DATABASE_URL takes a database under the name it was made with: to "${copy}" the role ${role} means nothing`,
  })
  const { rows } = await server.query('select rolname from pg_roles where rolname = any ($1)', [rolesOf(copy)])
  assert.deepEqual(rows, [])
})

test('hosts that begin at one time prepare it one after the other', async () => {
  const database = `${name}_race`
  await server.query(`create database ${database}`)
  try {
    await Promise.all([0, 1, 2, 3].map(() => prepare(database)))
  } finally {
    await server.query(`drop database ${database} with (force)`)
    for (const role of rolesOf(database)) await server.query(`drop role if exists ${role}`)
  }
})

test('one that a newer release has prepared is refused by an older one', async () => {
  await sql(`insert into platform.migrations (name, checksum) values ('9999_of_a_newer_release.sql', 'x')`)
  await assert.rejects(prepare(name), {
    message:
      'the database is one of a newer release (9999_of_a_newer_release.sql ran in it): start that one, or a later',
  })
  await sql(`delete from platform.migrations where name = '9999_of_a_newer_release.sql'`)
  await prepare(name)
})

const signsIn = async (connection: pg.ClientConfig) => {
  const client = new pg.Client(connection)
  await client.connect()
  await client.end()
}

test('one that was dropped and made again is taken with another key; roles that another database uses are not', async () => {
  const key = randomBytes(32)
  await server.query(`drop database ${name}`)
  await server.query(`create database ${name}`)
  const names = rolesOf(name).join(' and ')
  await assert.rejects(prepare(name, key), {
    message: `the roles ${names} belong to "${copy}": drop them, or take another database`,
  })
  await server.query(`drop database ${copy}`)
  const { core, system } = await prepare(name, key)
  await Promise.all([core, system].map(signsIn))
  await prepare(name, key)
})
