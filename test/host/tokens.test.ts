import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
