import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isUnavailable } from '../../../host/database/unavailable.ts'
import { provisionModule } from '../../../host/module-database/provision.ts'
import { importMigrations } from '../../../host/publishing/migrations/import.ts'
import { rehearse } from '../../../host/publishing/migrations/rehearse.ts'
import { secrets, startTestServer, type TestServer, tenantA } from '../../module-database/support.ts'
import { importTarget, migration, plan } from './support.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const slug = 'leaving'
const old = migration(1, 'create table visits (id text primary key)')
const fresh = migration(2, 'alter table visits add column room text')
const bring = (files: (typeof old)[]) =>
  importMigrations({
    ...importTarget(server, slug),
    ...{ files, plan, release: '1' },
    tenants: async () => ({ sandbox: [], live: [tenantA] }),
  })

test('a session that the database ends in the middle of a migration is no fault of the file: nothing is held against it', async () => {
  await provisionModule(server.superuser, { slug, database: server.database, suffix: '', ...secrets })
  await bring([old])
  await server.superuser.query(`
    create function leave() returns event_trigger language plpgsql security definer as
      $$ begin if exists (select from pg_event_trigger_ddl_commands() c join pg_attribute a on a.attrelid = c.objid and a.attname = 'room')
        then perform pg_terminate_backend(pg_backend_pid()); end if; end $$;
    create event trigger leave on ddl_command_end when tag in ('ALTER TABLE') execute function leave()`)
  const files = [old, fresh]
  await assert.rejects(rehearse({ ...importTarget(server, slug), files, plan }), isUnavailable)
  await assert.rejects(bring(files), isUnavailable)
  await server.superuser.query('drop event trigger leave')
  assert.equal((await bring(files)).length, 2)
})
