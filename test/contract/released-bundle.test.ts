import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { readHostKey } from '../../host/security/host-key.ts'
import { signIn } from '../host/browser.ts'
import { embeddedSuperuser } from '../host/embedded-superuser.ts'
import { writeModule } from '../host/module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { storeSigned } from '../support/signed-version.ts'

/**
 * What schools run was bundled when its partner published it, with the SDK of that day, and stays as it is however often the
 * platform is renewed. `bundle.js` and `described.json` are what the release of 22 November 2026 stored of `index.ts`. Where
 * one of these tests fails, published modules fail: the host must go on to understand them. Never make them again.
 */
const fixture = (name: string) => readFileSync(new URL(`fixtures/released/${name}`, import.meta.url), 'utf8')

const slug = 'released'
const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let database: pg.Client
let librarian: { username: string; password: string }
/** By who bundled the module, the id of its version. */
let versions: Record<'today' | 'released', string>

const partner = async (...args: string[]) => {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  assert.notEqual(stdout, '', `partner ${args[0]}: ${code} ${stderr}`)
  return JSON.parse(stdout)
}

before(async () => {
  host = await startHostProcess(folder.path)
  database = new pg.Client(embeddedSuperuser(folder.path))
  await database.connect()
  const [tenant] = (await partner('sandbox')).tenants
  librarian = tenant.users.find(({ username }: typeof librarian) => username === 'librarian')
  const files = {
    'src/index.ts': fixture('index.ts'),
    'migrations/2026_11_22_090000_create_notes.sql': fixture('create_notes.sql'),
  }
  const scopes = { scopes: ['education.students.read'], optionalScopes: ['employees.directory.read'] }
  await partner('publish', writeModule(sources.path, slug, files, scopes), '--approve')
  await partner('install', slug, '--tenant', tenant.id, '--yes')
  versions = await storeReleased()
})
after(async () => {
  await database?.end()
  await host?.stop()
  folder.remove()
  sources.remove()
})

/** Puts the release's version beside today's. The school does not grant the optional scope. */
async function storeReleased(): Promise<typeof versions> {
  const { rows } = await database.query(
    `update core.installations i set granted_scopes = '{education.students.read}' from core.apps a
      where a.id = i.app_id and a.slug = $1 returning a.id, i.version_id as today`,
    [slug],
  )
  const { id, today } = rows[0]
  const hostKey = readHostKey({ HOST_KEY: undefined, DATA_DIR: folder.path }, false)
  const described = JSON.parse(fixture('described.json'))
  const stored = await storeSigned(database, hostKey, {
    app: { id, slug },
    version: '0.9.0',
    code: fixture('bundle.js'),
    ...described,
  })
  return { today, released: stored.id }
}

/** From now on the school runs this one, without a note. */
async function use(bundledBy: keyof typeof versions): Promise<void> {
  await database.query(
    `update core.installations set version_id = $1 where app_id = (select id from core.apps where slug = $2)`,
    [versions[bundledBy], slug],
  )
  // The sandbox school's rows are in a schema of their own.
  await database.query(`delete from s_${slug}.notes`)
}

type Invoked = { ok: boolean; status: number; text: string; error?: string; log: { level: string; message: string }[] }
const invoke = (target: string, ...options: string[]): Promise<Invoked> => partner('invoke', slug, target, ...options)
const answerOf = async (target: string, ...options: string[]): Promise<unknown> => {
  const { ok, text, log } = await invoke(target, ...options)
  assert.ok(ok, JSON.stringify(log))
  return JSON.parse(text)
}

for (const bundledBy of ['today', 'released'] as const) {
  test(`${bundledBy}: its page in a browser, with its form`, async () => {
    await use(bundledBy)
    const browser = await signIn(host.url, librarian)
    const page = await browser.get(`/m/${slug}/?search=a+book`)
    assert.match(page.text, /<h1>\S.* en \{\}<\/h1>/)
    assert.match(page.text, /<p>a book &lt;b&gt;escaped&lt;\/b&gt;<\/p>/)
    const sent = await browser.submit(`/m/${slug}/`, '/notes', { title: 'From a browser' })
    assert.deepEqual([sent.status, sent.location], [303, `/m/${slug}/notes`])
    assert.deepEqual(await answerOf('/notes/From%20a%20browser'), { title: 'From a browser' })
  })

  test(`${bundledBy}: fields, services and their refusals`, async () => {
    await use(bundledBy)
    assert.deepEqual(await answerOf('/fields?day=1&day=2&a=b'), {
      query: { day: '2', a: 'b' },
      days: ['1', '2'],
      path: '/fields',
    })
    const { first, page } = (await answerOf('/students')) as { first: { student: object }; page: object }
    assert.ok('full_name' in first.student)
    assert.deepEqual(page, { total: 2000, per_page: 2, current_page: 1, last_page: 1000 })
    const { status, error } = await invoke('/refused')
    assert.deepEqual([status, error], [403, 'scope_not_granted'])
    assert.deepEqual(await answerOf('/caught'), {
      name: 'NotFoundException',
      message: 'Not found.',
      code: 'not_found',
      status: 404,
    })
  })

  test(`${bundledBy}: its rows, a transaction that is kept and one that is not, its tool`, async () => {
    await use(bundledBy)
    const { status, text } = await invoke('/notes', '--data', '{"title":"A note"}')
    assert.deepEqual([status, text], [303, '/notes'])
    assert.deepEqual(await answerOf('/both', '--data', '{}'), { kept: 'kept', rolledBack: 'changed its mind' })
    assert.deepEqual(await answerOf('/notes'), [
      { title: 'A note', days: [] },
      { title: 'kept', days: [] },
    ])
    assert.deepEqual(await answerOf('released.notes.count', '--data', '{"begins":"k"}'), { counted: { n: 1 } })
    assert.equal((await invoke('/notes/absent')).status, 404)
  })

  test(`${bundledBy}: its log, a status of its own, and a fault with its place`, async () => {
    await use(bundledBy)
    const { status, log } = await invoke('/log')
    assert.equal(status, 418)
    assert.deepEqual(log, [
      { level: 'debug', message: 'a detail' },
      { level: 'warn', message: 'a warning' },
    ])
    const fault = await invoke('/throws')
    assert.deepEqual([fault.ok, fault.status, fault.error], [false, 500, 'internal'])
    assert.match(fault.log[0]!.message, /^threw: its own fault\nTypeError: its own fault\n {4}at .*\d+:\d+\)/)
  })
}
