import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { prepareDatabase } from '../../host/database/prepare.ts'
import { testHostKey, useCluster } from '../support/cluster.ts'
import { createSchool } from '../support/school.ts'

const database = `locale_${randomBytes(6).toString('hex')}`
let cluster: Awaited<ReturnType<typeof useCluster>>
let root: pg.Client
let admin: pg.Pool

before(async () => {
  cluster = await useCluster()
  root = new pg.Client(cluster.superuser)
  await root.connect()
  await root.query(`create database ${database} template template0 encoding 'UTF8' locale_provider libc locale 'C'`)
  const superuser = { ...cluster.superuser, database }
  await prepareDatabase(superuser, { hostKey: testHostKey, database, embedded: true })
  admin = new pg.Pool({ ...superuser, max: 1 })
})
after(async () => {
  await admin?.end()
  for (const one of [database, `${database}_ascii`]) await root?.query(`drop database if exists ${one}`)
  await root?.end()
  await cluster?.stop()
})

test('names are cut into the same words in a database whose locale knows English letters alone', async () => {
  const { id } = await createSchool(admin)
  await admin.query(
    `insert into core.students (tenant_id, id, full_name) values ($1, 'A', 'أحمد العلي'), ($1, 'B', 'ÉCOLE ٢')`,
    [id],
  )
  const { rows } = await admin.query('select record_id, word from core.search_words order by 1, 2')
  assert.deepEqual(
    rows.map(({ record_id, word }) => [record_id, word]),
    [
      ['A', 'احمد'],
      ['A', 'العلي'],
      ['B', '2'],
      ['B', 'école'],
    ],
  )
})

test('a database that cannot hold every letter is refused by its encoding, before anything is made in it', async () => {
  const other = `${database}_ascii`
  await root.query(`create database ${other} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`)
  const superuser = { ...cluster.superuser, database: other }
  await assert.rejects(prepareDatabase(superuser, { hostKey: testHostKey, database: other, embedded: true }), {
    message: 'DATABASE_URL takes a database in UTF8: this one is in SQL_ASCII',
  })
})
