import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { checkSchemaSize, watchSchemaSizes } from '../../host/module-database/schema-size.ts'
import { scheduleReclaiming } from '../../host/publishing/upkeep/reclaim-space.ts'
import {
  openDatabase,
  provisionWithNotes,
  startTestServer,
  type TestServer,
  tenantA,
} from '../module-database/support.ts'

const quotaBytes = 1_000_000
const fill = `insert into note (id, body) select gen_random_uuid(), repeat(md5(n::text), 30) from generate_series(1, 1500) n`

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** What one look of the publisher does. */
async function reclaim() {
  const provisioning = new pg.Pool({ ...server.provisioning, max: 1 })
  const warnings: unknown[] = []
  const logger = { info: () => {}, warn: (...words: unknown[]) => warnings.push(words) }
  const reclaiming = scheduleReclaiming({ provisioning, credential: server.provisioning, logger }, quotaBytes)
  await reclaiming.idle()
  await reclaiming.stop()
  await provisioning.end()
  assert.deepEqual(warnings, [])
}

/** A module whose rows take more than its quota, and what it can do under it. */
async function fullModule(slug: string) {
  await provisionWithNotes(server, slug)
  const core = await server.connect(server.roles.core)
  const reference = { slug, sandbox: false }
  const run = async (text: string) => {
    const sizes = await watchSchemaSizes(core, { quotaBytes })
    const database = openDatabase(server, { isOverSize: sizes.isOver })
    try {
      return await database.execute(reference, tenantA, { text })
    } finally {
      sizes.stop()
      database.close()
    }
  }
  await run(fill)
  const over = async () => (await checkSchemaSize(core, `m_${slug}`, quotaBytes)).over
  assert.equal(await over(), true)
  return { run, over, bytes: async () => (await checkSchemaSize(core, `m_${slug}`, quotaBytes)).bytes }
}

/** Every other row: nothing at the end of a file that could be cut off. */
const deleteMost = `delete from note where id in (select id from (select id, row_number() over () as n from note) r where n % 8 <> 0)`

test('a module over its size that deleted rows can write again: into their room, until it is full', async () => {
  const { run, over, bytes } = await fullModule('alpha')
  await assert.rejects(run(fill), { code: 'sql_refused', message: /delete rows first/ })
  await reclaim()
  assert.equal(await over(), true)
  const files = await filesOf('m_alpha')
  await run(deleteMost)
  await reclaim()
  assert.equal(await filesOf('m_alpha'), files)
  assert.ok((await bytes()) < quotaBytes)
  assert.equal(await run(`insert into note (id, body) values ('again', 'x')`), 1)
  await run(fill)
  await reclaim()
  await assert.rejects(run(`insert into note (id, body) values ('more', 'x')`), { code: 'sql_refused' })
})

test('what is free counts up to half of the files only, and is forgotten once they are small', async () => {
  const { run, bytes } = await fullModule('beta')
  const files = await filesOf('m_beta')
  await run(deleteMost)
  await reclaim()
  assert.ok((await bytes()) >= files / 2)
  await server.superuser.query('vacuum full m_beta.note')
  await reclaim()
  assert.equal(await bytes(), await filesOf('m_beta'))
})

test('on a server without the extension the files count whole', async () => {
  const { run, over } = await fullModule('gamma')
  await server.superuser.query('drop extension pg_freespacemap')
  await run(deleteMost)
  await reclaim()
  assert.equal(await over(), true)
})

async function filesOf(schema: string): Promise<number> {
  const { rows } = await server.superuser.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  )
  return Number(rows[0]!.bytes)
}
