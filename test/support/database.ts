import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type CoreConnection, prepareDatabase } from '../../host/database/prepare.ts'
import { templateDatabase, testHostKey, useCluster } from './cluster.ts'

export type TestDatabase = {
  connection: CoreConnection
  /** Superuser of this database: for arranging what no door offers. */
  admin: pg.Pool
  superuser: pg.ClientConfig & { database: string }
  /** Drops the database. Fails where somebody left a connection open. */
  drop(): Promise<void>
}

/** A database of its own for one test file, cloned from the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const cluster = await useCluster()
  const name = `test_${randomBytes(6).toString('hex')}`
  const superuser = { ...cluster.superuser, database: name }
  const connection = await openDatabase(cluster.superuser, name).catch(async (error) => {
    await cluster.stop()
    throw error
  })
  const admin = new pg.Pool({ ...superuser, max: 4 })
  return {
    connection,
    admin,
    superuser,
    async drop() {
      try {
        await admin.end()
        await asSuperuser(cluster.superuser, `drop database ${name}`)
      } finally {
        await cluster.stop()
      }
    },
  }
}

async function openDatabase(superuser: pg.ClientConfig, name: string): Promise<CoreConnection> {
  await asSuperuser(superuser, `create database ${name} template ${templateDatabase} strategy file_copy`)
  return await prepareDatabase(superuser, { hostKey: testHostKey, database: name, embedded: true })
}

async function asSuperuser(superuser: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
