import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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

type Tenant = {
  id: string
  sandbox_of?: string | null
  users: { username: string }[]
  installations: { app: string; token: string }[]
}

test('every embedded app has a seeded sandbox tenant of its own besides the shared school', async () => {
  const { stdout } = await runPartner(['sandbox', '--json', '--url', host.url]).ended
  const { tenants } = JSON.parse(stdout) as { tenants: Tenant[] }
  const installed = tenants.map(({ installations }) => installations.map(({ app }) => app).join(' '))
  assert.equal(installed[0], 'attendance library registrar', 'the shared school comes first')
  assert.deepEqual(installed.slice(1).sort(), ['attendance', 'library'])
  const own = tenants.find(({ installations }) => installations.length === 1 && installations[0]!.app === 'library')!
  assert.deepEqual(own.users.map(({ username }) => username).sort(), [
    'library.administrator',
    'library.guardian1',
    'library.student1',
    'library.teacher',
  ])
  const headers = { authorization: `Bearer ${own.installations[0]!.token}` }
  const students = await fetch(`${host.url}/sandbox/apps/education/students`, { headers })
  assert.equal(((await students.json()) as { total: number }).total, 96)
})

test('an app is invoked in a tenant as its administrator, whatever they are called there, by an id in either case', async () => {
  const { tenants } = JSON.parse((await runPartner(['sandbox', '--json', '--url', host.url]).ended).stdout)
  const own = (tenants as Tenant[]).find(
    ({ sandbox_of: app, installations: [first] }) => first?.app === 'library' && app !== null,
  )!
  const invoke = (tenant: string) =>
    runPartner(['invoke', 'library', '/', '--tenant', tenant, '--json', '--url', host.url]).ended
  for (const tenant of [own.id, own.id.toLowerCase()]) {
    const { code, stdout } = await invoke(tenant)
    assert.deepEqual([code, JSON.parse(stdout).status], [0, 200], stdout)
  }
  assert.deepEqual(JSON.parse((await invoke('mine')).stdout).tenant, ['must be a ULID of 26 characters'])
})
