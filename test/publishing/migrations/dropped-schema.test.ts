import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropSchema, provisionModule } from '../../../host/module-database/provision.ts'
import { moduleRoleNames } from '../../../host/module-database/role-names.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { connected, secrets, startTestServer, type TestServer } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'begun_anew'
const provision = () => provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })

/** A superuser's session that is lost in place of its next statement after so many. */
async function dyingAfter(statements: number) {
  const client = await connected(server.provisioning)
  const { query } = client
  let left = statements
  client.query = ((...args: Parameters<typeof query>) => {
    if (left-- > 0) return query.apply(client, args)
    void client.end()
    return Promise.reject(new Error('killed'))
  }) as typeof query
  return client
}

test('a publisher that is killed while it drops the sandbox leaves one that the next import makes whole', async () => {
  const roles = moduleRoleNames(slug, { suffix: '', kind: 'sandbox' })
  for (let statements = 0; ; statements++) {
    await provision()
    await importMigrations({
      ...importTarget(server, slug),
      files: [migration(1, 'create table books (id text primary key)')],
      plan,
      release: '1.0.0',
      tenants: async () => ({ sandbox: [], live: [] }),
      kinds: ['sandbox'],
    })
    const { rowCount } = await server.superuser
      .query(`select from ${roles.schema}.books`)
      .catch(() => ({ rowCount: -1 }))
    assert.equal(rowCount, 0, `after ${statements - 1} statements of the drop`)
    const client = await dyingAfter(statements)
    const outcome = await dropSchema(client, roles).then(
      () => 'dropped',
      (error: Error) => error.message,
    )
    await client.end()
    if (outcome === 'dropped') break
    assert.equal(outcome, 'killed')
  }
})
