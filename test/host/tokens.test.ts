import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hashOfSource, readSourceFiles } from '../../host/publishing/source/source-files.ts'
import { openHostDatabase } from './host-database.ts'
import { runPartner, type StartedHost, startHostProcess, hostFolder } from './started-host.ts'

const folder = await hostFolder('--samples')
let host: StartedHost

before(async () => {
  host = await startHostProcess(folder.path, [])
})
after(async () => {
  await host?.stop()
  folder.remove()
})

type Sandbox = {
  tenants: { id: string; installations: { app: string; type: string; token: string; scopes: string[] }[] }[]
}

async function partner<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  assert.equal(code, 0, stderr + stdout)
  return JSON.parse(stdout)
}
const whoami = async (token: string, base = '/apps') => {
  const response = await fetch(`${host.url}${base}/whoami`, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, body: await response.json() }
}

test('the sandbox has the sample modules and the registrar installed; looking rotates nothing', async () => {
  const [first, second] = [await partner<Sandbox>('sandbox'), await partner<Sandbox>('sandbox')]
  assert.deepEqual(first, second)
  const apps = first.tenants[0]!.installations
  assert.deepEqual(
    apps.map(({ app }) => app),
    ['attendance', 'library', 'registrar'],
  )
  const registrar = apps.find(({ app }) => app === 'registrar')!
  assert.ok(!registrar.scopes.includes('education.face_embeddings.read'), 'nothing dangerous')
  for (const base of ['/apps', '/sandbox/apps']) {
    const { status, body } = await whoami(registrar.token, base)
    assert.equal(status, 200)
    assert.equal((body as { module: string }).module, 'registrar')
  }
})

test('a rotated token works at once and the old one for fifteen minutes more', async () => {
  const { tenants } = await partner<Sandbox>('sandbox')
  const old = tenants[0]!.installations.find(({ app }) => app === 'registrar')!.token
  const { token } = await partner<{ token: string }>('token', 'rotate', 'registrar', '--tenant', tenants[0]!.id)
  assert.notEqual(token, old)
  assert.deepEqual([(await whoami(token)).status, (await whoami(old)).status], [200, 200])
  const after = await partner<Sandbox>('sandbox')
  assert.equal(after.tenants[0]!.installations.find(({ app }) => app === 'registrar')!.token, token)
})

test("a school's id is taken in either case, wherever a verb names it", async () => {
  const [school] = (await partner<Sandbox>('sandbox')).tenants
  const named = ['--tenant', school!.id.toLowerCase()]
  assert.equal((await partner<{ status: number }>('invoke', 'library', '/', ...named)).status, 200)
  assert.match((await partner<{ token: string }>('token', 'rotate', 'library', ...named)).token, /^pit_test_/)
})

test('every sample module answers 200 at /', async () => {
  for (const slug of ['library', 'attendance']) {
    const { status } = await partner<{ status: number }>('invoke', slug, '/')
    assert.equal(status, 200, slug)
  }
})

test('a sample older than what is published does not keep the host from starting, nor take its place', async () => {
  const database = openHostDatabase(folder.path)
  const library = `from core.apps a where a.id = app_id and a.slug = 'library'`
  await database.query(`update core.app_versions set version = '9.0.0', scan = '{"sourceHash": "another"}' ${library}`)
  await database.end()
  await host.stop()
  host = await startHostProcess(folder.path, [])
  const again = openHostDatabase(folder.path)
  const { rows } = await again.query(
    `select version from core.app_versions v join core.apps a on a.id = v.app_id where a.slug = 'library'`,
  )
  await again.end()
  assert.deepEqual(rows, [{ version: '9.0.0' }])
})

test('a restart brings back no sample that was taken back, and goes on with one that was left on its way', async () => {
  const database = openHostDatabase(folder.path)
  const hash = hashOfSource(readSourceFiles(fileURLToPath(new URL('../../modules/library', import.meta.url))))
  await database.query(
    `update core.app_versions set scan = jsonb_build_object('sourceHash', $1::text) where version = '9.0.0'`,
    [hash],
  )
  const versions = async (slug: string) => {
    const { rows } = await database.query<{ version: string; state: string; hash: string }>(
      `select v.version, v.state, v.scan ->> 'sourceHash' as hash from core.app_versions v
        join core.apps a on a.id = v.app_id where a.slug = $1 order by v.version collate "C"`,
      [slug],
    )
    return rows
  }
  // What schools had before, in another source.
  const earlier = `insert into core.app_versions (id, app_id, version, state, manifest, declared, contributions, bundle_hash, report, scan, published_at)
    select 'earlier' || a.slug, app_id, $2, 'published', manifest, declared, contributions, bundle_hash, report, '{}', '2026-01-01'
    from core.app_versions v join core.apps a on a.id = v.app_id where a.slug = $1`
  const [library, attendance] = [(await versions('library'))[0]!, (await versions('attendance'))[0]!]
  await database.query(earlier, ['library', '0.9.0'])
  await partner('rollback', 'library')
  // As a start leaves it that was killed between two of its steps.
  const left = `${attendance.version}+${attendance.hash.slice(0, 8)}`
  await database.query(
    `update core.app_versions set version = $1, state = 'in_review', published_at = null where scan ->> 'sourceHash' = $2`,
    [left, attendance.hash],
  )
  await database.query(earlier, ['attendance', attendance.version])
  await database.end()
  await host.stop()
  host = await startHostProcess(folder.path, [])
  const again = openHostDatabase(folder.path)
  try {
    const { rows } = await again.query(
      `select a.slug, v.version, v.state from core.app_versions v join core.apps a on a.id = v.app_id
        where a.slug in ('attendance', 'library') order by a.slug, v.version collate "C"`,
    )
    assert.deepEqual(
      rows.map(({ slug, version, state }) => `${slug} ${version} ${state}`),
      [
        `attendance ${attendance.version} published`,
        `attendance ${left} published`,
        'library 0.9.0 published',
        `library ${library.version} approved`,
      ],
    )
  } finally {
    await again.end()
  }
})
