import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { ulid } from 'ulid'
import { createPerson } from '../pages/support.ts'
import { createSchool } from '../support/school.ts'
import { type SignedIn, signIn } from './browser.ts'
import { openHostDatabase } from './host-database.ts'
import { writeModule } from './module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from './started-host.ts'

type Tenant = { id: string; users: { username: string; password: string }[]; installations: { token: string }[] }

const folder = await hostFolder('--samples')
const sources = temporaryFolder()
const json = { accept: 'application/json' }
let host: StartedHost
let database: pg.Pool
let sandbox: Tenant

before(async () => {
  host = await startHostProcess(folder.path, [])
  database = openHostDatabase(folder.path)
  sandbox = ((await partner('sandbox')) as { tenants: Tenant[] }).tenants[0]!
})
after(async () => {
  await database?.end()
  await host?.stop()
  folder.remove()
  sources.remove()
})

async function partner(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  assert.equal(code, 0, stdout + stderr)
  return JSON.parse(stdout)
}
const as = (username: string): Promise<SignedIn> =>
  signIn(host.url, sandbox.users.find((user) => user.username === username)!)

async function install(slug: string, source: string, tenant = sandbox.id, optional: string[] = []): Promise<void> {
  const dir = writeModule(sources.path, slug, { 'src/index.ts': source }, { optionalScopes: optional })
  await partner('publish', dir, '--approve')
  await partner('install', slug, '--tenant', tenant, ...(optional.length > 0 ? ['--scopes', ''] : ['--yes']))
}

test('a librarian adds a book, lends it and takes it back, by forms and without a script', async () => {
  const librarian = await as('librarian')
  const title = 'كليلة ودمنة'
  const added = await librarian.submit('/m/library/books/new', '/books', { title, author: 'ابن المقفع', copies: '1' })
  assert.equal(added.status, 303, added.text)
  const catalogue = await librarian.get(`/m/library?search=${encodeURIComponent(title)}`)
  assert.match(catalogue.text, new RegExp(title))
  assert.match(catalogue.headers.get('content-security-policy')!, /script-src 'none'/)
  const lending = /\/m\/library(\/books\/\w+\/lend)/.exec(catalogue.text)![1]
  const { text } = await librarian.get('/m/attendance')
  assert.match(text, /<table/)
  const name = encodeURIComponent('محمد')
  const lent = await librarian.submit(`/m/library${lending}?search=${name}`, '/loans', {})
  assert.equal(lent.location, '/m/library/loans', lent.text)
  assert.match((await librarian.get('/m/library/loans')).text, new RegExp(title))
  assert.equal((await librarian.submit('/m/library/loans', '/return', {})).location, '/m/library/loans')
  assert.doesNotMatch((await librarian.get('/m/library/loans')).text, new RegExp(title))
})

test('who follows a log sees each line once, those too that another process wrote later', async () => {
  const { process: child, ended } = runPartner(['logs', 'library', '--follow', '--url', host.url])
  let seen = ''
  child.stdout!.on('data', (text: string) => (seen += text))
  const log = async (message: string, at: Date) => {
    await database.query(
      `insert into core.module_log (tenant_id, invocation_id, position, at, app, level, message)
        values ($1, $2, 0, $3, 'library', 'info', $4)`,
      [sandbox.id, ulid(), at, message],
    )
    for (const end = Date.now() + 20_000; !seen.includes(message); await pause(20)) assert.ok(Date.now() < end, message)
  }
  const now = Date.now()
  await log('written first', new Date(now))
  await log('logged before it', new Date(now - 300))
  await log('written last', new Date(now + 10))
  child.kill('SIGINT')
  await ended
  assert.equal(seen.match(/written first|logged before it|written last/g)!.length, 3)
})

test('a teacher keeps a register by its form', async () => {
  const teacher = await as('teacher')
  const section = /\/m\/attendance\/sections\/\w+/.exec((await teacher.get('/m/attendance')).text)![0]
  const student = /status_\w+/.exec((await teacher.get(section)).text)![0]
  const page = `${section}?day=2026-10-05`
  const saved = await teacher.submit(page, section, { day: '2026-10-05', [student]: 'absent' })
  assert.equal(saved.location, page, saved.text)
  assert.match((await teacher.get('/m/attendance/absences?day=2026-10-05')).text, /badge/)
})

test('a pupil who moves to another section takes what was marked along: saving its register erases no absence', async () => {
  const teacher = await as('teacher')
  const day = '2026-10-07'
  const [first, second] = [
    ...new Set((await teacher.get('/m/attendance')).text.match(/\/m\/attendance\/sections\/\w+/g)),
  ] as [string, string]
  const student = /status_(\w+)/.exec((await teacher.get(first)).text)![1]!
  await teacher.submit(`${first}?day=${day}`, first, { day, [`status_${student}`]: 'absent' })
  await database.query('update core.students set section_id = $2 where id = $1', [student, second.split('/').at(-1)])
  const shown = async () => {
    const { text } = await teacher.get(`${second}?day=${day}`)
    return new RegExp(`<select name="status_${student}".*?value="(\\w+)" selected`, 's').exec(text)?.[1]
  }
  assert.equal(await shown(), 'absent')
  await teacher.submit(`${second}?day=${day}`, second, { day, [`status_${student}`]: (await shown())! })
  assert.match((await teacher.get(`/m/attendance/absences?day=${day}`)).text, />Absent</)
})

test('the launcher shows an app to those only whom its manifest names', async () => {
  const shown = async (username: string) =>
    (await (await as(username)).get('/')).text.match(/\/m\/(library|attendance)"/g)
  assert.deepEqual(await shown('teacher'), ['/m/attendance"', '/m/library"'])
  assert.deepEqual(await shown('student1'), ['/m/library"'])
  assert.equal(await shown('guardian1'), null)
})

test("a host name that the operator gives another school signs this one's people out there, at once", async () => {
  const { cookie } = await as('teacher')
  const at = (name: string) =>
    new Promise<number>((done, failed) => {
      request(`${host.url}/m/attendance`, { headers: { ...json, cookie, host: name } }, (answer) =>
        done(answer.resume().statusCode!),
      )
        .on('error', failed)
        .end()
    })
  const other = await createSchool(database)
  assert.deepEqual([await at('own.example'), await at('other.example')], [200, 200])
  await partner('hosts', 'add', 'own.example', '--tenant', sandbox.id)
  await partner('hosts', 'add', 'other.example', '--tenant', other.id)
  assert.deepEqual([await at('own.example'), await at('other.example')], [200, 401])
  assert.deepEqual(await partner('hosts', 'list', '--tenant', other.id), {
    hosts: [{ host: 'other.example', tenant_id: other.id }],
  })
  const { code, stderr } = await runPartner(['hosts', 'add', 'a b', '--tenant', other.id, '--url', host.url]).ended
  assert.equal(code, 1)
  assert.match(stderr, /host: a host name such as school\.example/)
  assert.deepEqual(await partner('hosts', 'remove', 'other.example'), { host: 'other.example', removed: true })
  assert.equal(await at('other.example'), 200)
})

test('an app that the school has not installed is a missing page, and so is one that does not exist', async () => {
  const source = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: { 'GET /': async () => json(1) } })`
  await partner('publish', writeModule(sources.path, 'elsewhere', { 'src/index.ts': source }), '--approve')
  const teacher = await as('teacher')
  for (const slug of ['elsewhere', 'nowhere']) {
    assert.equal((await teacher.get(`/m/${slug}`)).status, 404)
    const { status, text } = await teacher.get(`/m/${slug}`, json)
    assert.deepEqual([status, JSON.parse(text).error], [404, 'not_found'])
  }
})

test('a scope that is not granted is a 403 that names it, whatever the module says of it', async () => {
  await install(
    'curious',
    `import { defineModule } from '@partner/sdk'
    export default defineModule({ routes: {
      'GET /': async ({ services }) => services.education.students.list({}),
      'GET /lies': async ({ services }) => services.education.students.list({}).catch((error) => {
        throw Object.assign(error, { scope: 'employees.directory.read', message: 'another' })
      }),
    } })`,
    sandbox.id,
    ['education.students.read'],
  )
  const teacher = await as('teacher')
  for (const path of ['/m/curious', '/m/curious/lies']) {
    const { status, text } = await teacher.get(path, json)
    const { error, scope, invocation_id } = JSON.parse(text)
    assert.deepEqual([status, error, scope], [403, 'scope_not_granted', 'education.students.read'])
    assert.match(invocation_id, /^[0-9A-Z]{26}$/)
  }
  assert.equal((await teacher.get('/m/curious')).status, 403)
})

test('a module that kills its runner three times is stopped at that school until an operator lifts it', async () => {
  const attack = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: {
      'GET /': async () => json('fine'),
      'GET /kill': async () => json(Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)),
    } })`
  await install('killer', attack)
  const school = await createSchool(database)
  await partner('install', 'killer', '--tenant', school.id, '--yes')
  const stranger = await signIn(host.url, await createPerson({ admin: database } as never, school))
  const teacher = await as('teacher')
  const headers = { authorization: `Bearer ${sandbox.installations[0]!.token}` }
  const others = async () => {
    assert.equal((await fetch(`${host.url}/apps/whoami`, { headers })).status, 200)
    assert.equal((await teacher.get('/m/library')).status, 200)
    assert.equal((await stranger.get('/m/killer', json)).text, '"fine"')
  }
  await others()
  for (let strike = 1; strike <= 3; strike++) {
    const attacked = teacher.get('/m/killer/kill', json)
    await others()
    const { status, text } = await attacked
    assert.deepEqual([status, JSON.parse(text).error], [503, 'unavailable'], `strike ${strike}`)
  }
  // The third strike is written after its answer.
  for (const end = Date.now() + 5_000; (await teacher.get('/m/killer', json)).status !== 503; )
    assert.ok(Date.now() < end, 'never stopped')
  const stopped = await teacher.get('/m/killer', json)
  assert.deepEqual([JSON.parse(stopped.text).error, stopped.headers.get('retry-after')], ['app_quarantined', '60'])
  assert.equal((await teacher.get('/m/killer')).status, 503)
  await others()

  assert.deepEqual(await partner('lift', 'killer', '--tenant', sandbox.id), { app: false, tenants: [sandbox.id] })
  assert.equal((await teacher.get('/m/killer', json)).text, '"fine"')
  await others()
})
