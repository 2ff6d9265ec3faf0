import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { moduleRoleNames } from '../../../host/module-database/role-names.ts'
import { unnamedStep } from '../../../host/module-database/pipeline.ts'
import { inOneTransaction, type PlannedStep } from '../../../host/publishing/migrations/apply.ts'
import { withOwner } from '../../../host/publishing/migrations/owner-session.ts'
import { startTestServer, type TestServer } from '../../module-database/support.ts'
import { importTarget, migration, newModule } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const schools = Array.from({ length: 60 }, (_, index) => `01J${String(index).padStart(23, '0')}`)
const table = migration(1, 'create table kinds (id int primary key, label text)')
const inserts = Array.from({ length: 100 }, (_, id) => `insert into kinds (id, label) values (${id}, 'a kind');`)

async function countOf(slug: string): Promise<unknown> {
  const { rows } = await server.superuser.query(
    `select count(*)::int, count(distinct tenant_id)::int as schools from m_${slug}.kinds`,
  )
  return rows[0]
}

test('a seed for many schools is whole in each of them', async () => {
  const { slug, bring } = await newModule(server, async () => ({ sandbox: [], live: schools }))
  await bring([table, migration(2, inserts.join('\n'))])
  assert.deepEqual(await countOf(slug), { count: 6_000, schools: 60 })
})

test('its last statement fails: the error names its line, and no school keeps a row', async () => {
  const { slug, bring } = await newModule(server, async () => ({ sandbox: [], live: schools }))
  const seed = migration(2, [...inserts, `insert into kinds (id, label) values (1, 'again');`].join('\n'))
  await assert.rejects(bring([table, seed]), { code: 'failed', message: /step\.sql:101: duplicate key/ })
  assert.deepEqual(await countOf(slug), { count: 0, schools: 0 })
})

/** The most steps that were made and not yet answered. */
async function mostUnderWay(count: number, text: string): Promise<number> {
  const { slug } = await newModule(server, async () => ({ sandbox: [], live: [] }))
  let made = 0
  let answered = 0
  let most = 0
  function* steps(): Generator<PlannedStep> {
    for (; made < count; made++) {
      most = Math.max(most, made - answered)
      yield { step: unnamedStep(text, [], () => answered++), statement: null }
    }
  }
  const roles = moduleRoleNames(slug, { suffix: '' })
  await withOwner(server.superuser, importTarget(server, slug), roles, (session) =>
    inOneTransaction(session, steps(), { file: 'seed' }, { kind: 'live' }),
  )
  assert.equal(answered, count)
  return most
}

test('however many statements and schools there are, so much is sent as is answered: a write has its bounds, and so has memory', async () => {
  assert.ok((await mostUnderWay(10_000, 'select 1')) <= 2_000)
  assert.ok((await mostUnderWay(50, `select length('${'x'.repeat(200_000)}')`)) <= 5)
})
