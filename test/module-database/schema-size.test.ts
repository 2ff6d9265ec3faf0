import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkSchemaSize, watchSchemaSizes } from '../../host/module-database/schema-size.ts'
import { openDatabase, provisionWithNotes, startTestServer, type TestServer, tenantA } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  await provisionWithNotes(server, 'alpha')
})
after(() => server.stop())

test('a schema over its size takes no more rows, but gives and loses them', async () => {
  const core = await server.connect(server.roles.core)
  const quotaBytes = 200_000
  assert.equal((await checkSchemaSize(core, 'm_alpha', quotaBytes)).over, false)
  const alpha = { slug: 'alpha', sandbox: false }
  const free = openDatabase(server)
  await free.execute(alpha, tenantA, {
    text: `insert into note (id, body) select n, repeat(md5(n::text), 30) from generate_series(1, 500) n`,
  })
  free.close()
  assert.equal((await checkSchemaSize(core, 'm_alpha', quotaBytes)).over, true)
  const sizes = await watchSchemaSizes(core, { quotaBytes })
  const full = openDatabase(server, { isOverSize: sizes.isOver })
  await assert.rejects(full.execute(alpha, tenantA, { text: `insert into note (id) values ('x')` }), {
    code: 'sql_refused',
    message: /size limit/,
  })
  const merge = `merge into note using (select 'x' as id) n on note.id = n.id when not matched then insert (id) values ('x')`
  for (const text of [merge, `update note set body = body || body`])
    await assert.rejects(full.execute(alpha, tenantA, { text }), { code: 'sql_refused' }, text)
  await assert.rejects(
    full.rows(alpha, tenantA, { text: `with w as (insert into note (id) values ('x') returning id) select * from w` }),
    { code: 'sql_refused' },
  )
  assert.equal(
    await full.execute({ slug: 'alpha', sandbox: true }, tenantA, { text: `insert into note (id) values ('x')` }),
    1,
  )
  assert.equal(await full.execute(alpha, tenantA, { text: `delete from note where id = '1'` }), 1)
  sizes.stop()
  full.close()
})

test('large values and indexes count, to the byte', async () => {
  const core = await server.connect(server.roles.core)
  const text = `select string_agg(md5(n::text), '') from generate_series(1, 20000) n`
  await server.superuser.query(
    `insert into s_alpha.note (id, body, tenant_id) values ('large', (${text}), '${tenantA}')`,
  )
  const { bytes } = await checkSchemaSize(core, 's_alpha', 0)
  assert.ok(bytes > 20_000 * 32, String(bytes))
  for (const [quotaBytes, over] of [
    [bytes, false],
    [bytes - 1, true],
  ] as const) {
    assert.deepEqual(await checkSchemaSize(core, 's_alpha', quotaBytes), { bytes, over })
    const sizes = await watchSchemaSizes(core, { quotaBytes })
    assert.equal(sizes.isOver('s_alpha'), over)
    sizes.stop()
  }
})

test('who starts while the database is away counts once it is back', async () => {
  const core = await server.connect(server.roles.core)
  let looks = 0
  let seen = () => {}
  const counted = new Promise<void>((done) => {
    seen = done
  })
  const query = async (text: string) => {
    if (++looks === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const answer = await core.query(text)
    if (looks > 2) seen()
    return answer
  }
  const sizes = await watchSchemaSizes({ query } as unknown as typeof core, { quotaBytes: 1, everyMs: 10 })
  assert.equal(sizes.isOver('m_alpha'), false)
  const held = setInterval(() => {}, 1_000)
  await counted
  clearInterval(held)
  assert.equal(sizes.isOver('m_alpha'), true)
  sizes.stop()
})
