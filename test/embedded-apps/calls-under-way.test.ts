import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ulid } from 'ulid'
import type { InstalledModule } from '../../host/embedded-apps/installed-modules.ts'
import { createModuleCalls, type ModuleCalls } from '../../host/embedded-apps/module-calls.ts'
import type { ModuleLog } from '../../host/embedded-apps/module-log.ts'
import type { InstallationContext } from '../../host/installations/install.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import { untilConfirmed } from '../../host/security/token-epoch.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { operations } from '../../partner-services/registry.ts'
import { bundleOf, moduleOf, startSandbox } from '../isolates/support.ts'
import { openDatabase, provisionWithNotes, startTestServer } from '../module-database/support.ts'
import { installModule } from '../pages/support.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { testWebContext } from '../support/web.ts'

/** What a call that is under way may still do when its school takes something away, through a real runner. */
const database = await createTestDatabase()
const web = testWebContext(database)
const sandbox = await startSandbox()
const server = await startTestServer()
const moduleDatabase = openDatabase(server)
after(async () => {
  await sandbox.close()
  moduleDatabase.close()
  await Promise.all([web.close(), server.stop()])
  await database.drop()
})

const scopes = ['education.grades.read', 'education.subjects.read']
/** Asks for what it is told to, once the test lets it. */
const handle = `async (entry, input, call) => {
  await call('wait')
  return String(await call.raw(input.path, input.args))
}`

/** A call of a new app at a new school, which waits while the school changes its mind. */
async function callMeanwhile(slug: string, path: string, args: object, change: (of: Installed) => Promise<unknown>) {
  const school = await createSchool(database.admin)
  await installModule(database, school, slug)
  await provisionWithNotes(server, slug)
  const { rows } = await database.admin.query<{ id: string }>(
    'update core.installations set granted_scopes = $2 where tenant_id = $1 returning id',
    [school.id, scopes],
  )
  const [waits, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const client: typeof sandbox.client = {
    ...sandbox.client,
    call: (request) =>
      sandbox.client.call({
        ...request,
        async serve(asked, given) {
          if (asked !== 'wait') return request.serve(asked, given)
          waits.resolve()
          await goesOn.promise
          return 'null'
        },
      }),
  }
  const calls = createModuleCalls({
    client,
    modules: { find: web.modules.find, loadBundle: async () => bundleOf(moduleOf(handle)) },
    operations,
    ports: web.ports,
    moduleDatabase,
    log: web.moduleLog,
    report: (fault) => assert.fail(String(fault)),
  })
  const installation = await web.modules.find(school.id, slug)
  const answer = calls.call({
    installation: installation!,
    viewer: null,
    locale: 'en',
    entry: 'route',
    input: { path, args },
  })
  await waits.promise
  await change({ tenantId: school.id, installationId: rows[0]!.id, accountId: null })
  goesOn.resolve()
  const seen = await answer
  return seen.ok ? 'answered' : seen.code
}

type Installed = { tenantId: string; installationId: string; accountId: null }
const context: InstallationContext = {
  system: web.system,
  cipher: createCipher(testHostKey),
  clock: () => new Date(),
  grantsChanged: () => untilConfirmed(web.system),
  deliveriesStopped: async () => {},
  applyTenantData: async () => {},
  rowsFollow: () => {},
}
const keepGrades = (of: Installed) => narrowScopes(context, { ...of, scopes: ['education.grades.read'] })
const uninstall = (of: Installed) => uninstallApp(context, of)

test('a scope that is taken away is gone for calls under way too, those that are left are not', async () => {
  assert.equal(await callMeanwhile('one', 'services.education.subjects.list', {}, keepGrades), 'scope_not_granted')
  assert.equal(await callMeanwhile('two', 'services.education.grades.list', {}, keepGrades), 'answered')
})

test('a scope that is added is for calls to come', async () => {
  const add = async ({ tenantId }: Installed) => {
    await database.admin.query(
      `update core.installations set granted_scopes = granted_scopes || '{education.terms.read}' where tenant_id = $1`,
      [tenantId],
    )
    await context.grantsChanged()
  }
  assert.equal(await callMeanwhile('three', 'services.education.terms.list', {}, add), 'scope_not_granted')
})

test('a call under way reaches nothing of a school that has uninstalled its app, whether it came back or not, or stopped it', async () => {
  const select = { text: 'select id from note' }
  assert.equal(await callMeanwhile('four', 'db.rows', select, async () => {}), 'answered')
  assert.equal(await callMeanwhile('five', 'db.rows', select, uninstall), 'unavailable')
  assert.equal(await callMeanwhile('six', 'services.education.grades.list', {}, uninstall), 'unavailable')
  const stop = async ({ tenantId }: Installed) => {
    await database.admin.query(`update core.installations set status = 'disabled' where tenant_id = $1`, [tenantId])
    await context.grantsChanged()
  }
  assert.equal(await callMeanwhile('eight', 'services.education.grades.list', {}, stop), 'unavailable')
  const installAnew = async (of: Installed) => {
    await uninstall(of)
    await database.admin.query(
      `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited)
        select tenant_id, $2, app_id, version_id, granted_scopes, false from core.installations where id = $1`,
      [of.installationId, ulid()],
    )
    await context.grantsChanged()
  }
  assert.equal(await callMeanwhile('seven', 'services.education.grades.list', {}, installAnew), 'unavailable')
})

/** How a call of nobody ends: the code of its refusal, or nothing. */
async function outcomeOf(calls: ModuleCalls, installation: InstalledModule): Promise<string> {
  const answer = await calls.call({ installation, viewer: null, locale: 'en', entry: 'route', input: {} })
  return answer.ok ? '' : answer.code
}

test("a statement that nobody waited for and that fails is in the module's log, with its constraint", async () => {
  const school = await createSchool(database.admin)
  await installModule(database, school, 'careless')
  await provisionWithNotes(server, 'careless')
  const told = Promise.withResolvers<string>()
  const log: ModuleLog = {
    ...web.moduleLog,
    open: () => ({ write: async (level, message) => told.resolve(`${level} ${await message}`) }),
  }
  const text = "insert into note (id) values ('a'), ('a')"
  const careless = moduleOf(
    `(entry, input, call) => { void call('db.execute', ${JSON.stringify({ text })}); return 'jsaved' }`,
  )
  const calls = createModuleCalls({
    client: sandbox.client,
    modules: { find: web.modules.find, loadBundle: async () => bundleOf(careless) },
    operations,
    ports: web.ports,
    moduleDatabase,
    log,
    report: (fault) => assert.fail(String(fault)),
  })
  const installation = await web.modules.find(school.id, 'careless')
  assert.equal(await outcomeOf(calls, installation!), '')
  const message = 'a call that nobody waited for failed: db.execute: unique_violation: '
  assert.match(await told.promise, new RegExp(`^error ${message}.*note_pkey`))
})

test('an app that is stopped at a school is not called', async () => {
  const school = await createSchool(database.admin)
  await installModule(database, school, 'stopped')
  await database.admin.query(`update core.installations set status = 'disabled' where tenant_id = $1`, [school.id])
  const unused = () => assert.fail('a stopped app was called')
  const parts = { operations, ports: web.ports, moduleDatabase, log: web.moduleLog }
  const client = { ...sandbox.client, call: unused }
  const calls = createModuleCalls({ ...parts, client, modules: web.modules, report: unused })
  const installation = await web.modules.find(school.id, 'stopped')
  assert.equal(await outcomeOf(calls, installation!), 'app_quarantined')
})

test('of the refusals that a module lets through those of the service layer keep their status, an invented one is its fault', async () => {
  const school = await createSchool(database.admin)
  await installModule(database, school, 'inventive')
  const installation = await web.modules.find(school.id, 'inventive')
  const codeOf = async (code: string) => {
    const error = { kind: 'threw' as const, message: 'x', code }
    const client = { ...sandbox.client, call: async () => ({ ok: false as const, error, cpuMs: 0, serviceCalls: 0 }) }
    const parts = { operations, ports: web.ports, moduleDatabase, log: web.moduleLog, modules: web.modules }
    const calls = createModuleCalls({ ...parts, client, report: (fault) => assert.fail(String(fault)) })
    return outcomeOf(calls, installation!)
  }
  assert.equal(await codeOf('not_found'), 'not_found')
  for (const code of ['unauthenticated', 'session_expired', 'app_quarantined', 'invented', 'toString'])
    assert.equal(await codeOf(code), 'internal', code)
})
