import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { webhookPing } from '../../../partner-services/service/event-names.ts'
import { startReceiver } from '../../events/receiver.ts'
import { writeModule } from '../../host/module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from '../../host/started-host.ts'
import { operatorToken, portalOf } from '../../lifecycle/support.ts'
import { type Registrar, startRegistrar } from './app.ts'

const [folder, sources] = [await hostFolder('--samples'), temporaryFolder()]
const slug = 'registrar'
let host: StartedHost
let registrar: Registrar
let tenant: string

before(async () => {
  host = await startHostProcess(folder.path, [], { ALLOW_LOOPBACK_CALLBACKS: 'true' })
  const [sandbox] = (await partner<{ tenants: Tenant[] }>('sandbox')).tenants
  tenant = sandbox!.id
  const { token } = sandbox!.installations.find(({ app }) => app === slug)!
  const { body } = await portalOf(host, operatorToken(host))(`/apps/${slug}/credentials`, {})
  const webhookSecret = body.credentials.webhook_secret as string
  registrar = await startRegistrar({ baseUrl: `${host.url}/sandbox/apps`, token, webhookSecret })
})
after(async () => {
  await registrar?.close()
  await host?.stop()
  folder.remove()
  sources.remove()
})

type Tenant = { id: string; installations: { app: string; token: string }[] }
type Delivery = { id: string; event: string; state: string }

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  return { code, stdout, stderr }
}
async function partner<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await run(...args)
  assert.equal(code, 0, stdout + stderr)
  return JSON.parse(stdout)
}

/** Publishes a version of the registrar that is called at this address. */
function publishCalledAt(webhookUrl: string, version: string) {
  const manifest = {
    ...{ moduleId: slug, displayName: 'Registrar', version, category: 'administration', integrationType: 'external' },
    description: 'Mirrors the students of a school.',
    scopes: ['education.students.read', 'education.students.write'].map((key) => ({ key, reason: 'The mirror.' })),
    external: { webhookUrl, webhookEvents: ['education.students.created', 'education.students.updated'] },
  }
  const dir = writeModule(sources.path, slug, { 'manifest.json': JSON.stringify(manifest) })
  return run('publish', dir, '--approve')
}

test('a host that may call loopback publishes an app with such a webhook URL, never one at its own port', async () => {
  const own = await publishCalledAt(`${host.url}/hooks`, '1.1.0')
  assert.equal(own.code, 1)
  assert.match(own.stdout, /webhook-probe.*the address is not public/)
  const { code, stdout } = await publishCalledAt(registrar.url, '1.1.0')
  assert.equal(code, 0, stdout)
})

test("an embedded module's call reaches the registrar as an event, like a call over HTTP", async () => {
  const source = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: {
      'GET /': async ({ services }) => json(await services.education.students.create({ full_name: 'من التطبيق' })),
    } })`
  const scopes = ['education.students.write']
  await partner('publish', writeModule(sources.path, 'clerk', { 'src/index.ts': source }, { scopes }), '--approve')
  await partner('install', 'clerk', '--tenant', tenant, '--yes')
  await partner('invoke', 'clerk', '/')
  const added = () => [...registrar.students.values()].find(({ full_name }) => full_name === 'من التطبيق')
  await registrar.until(() => added() !== undefined)
  const { id } = await registrar.rename(added()!.id, 'معدل')
  await registrar.until((students) => students.get(id)?.full_name === 'معدل')
})

test('a rotated token reaches the registrar, which goes on with it', async () => {
  const { token } = await partner<{ token: string }>('token', 'rotate', slug, '--tenant', tenant)
  await registrar.until(() => registrar.token() === token)
  await registrar.load()
  assert.ok(registrar.students.size > 100, String(registrar.students.size))
})

test('deliveries are listed, shown and replayed on the command line, and a test event is sent', async () => {
  const { data } = await partner<{ data: Delivery[] }>('deliveries', 'list', '--app', slug)
  const events = ['education.students.created', 'education.students.updated', 'partner.installation.token_rotated']
  assert.deepEqual(data.map(({ event }) => event).sort(), events)
  const rotation = data.find(({ event }) => event === events[2])!
  const shown = await run('deliveries', 'show', rotation.id, '--app', slug)
  assert.equal(shown.code, 0, shown.stdout)
  assert.ok(!shown.stdout.includes(registrar.token()))
  assert.deepEqual(await partner('deliveries', 'replay', data[0]!.id, '--app', slug), {
    replayed: [data[0]!.id],
    paused_at: null,
  })
  const known = registrar.students.size
  await partner('webhook', 'test', '--app', slug)
  await registrar.until((students) => students.size > known)
  assert.equal((await run('deliveries', 'show', 'nonsense', '--app', slug)).code, 1)
})

test('SIGTERM takes no request any more while a webhook is on its way, and lets its receiver answer', async (t) => {
  const held = Promise.withResolvers<ServerResponse>()
  const receiver = await startReceiver('any', (_request, response, { body }) => {
    if (body.event === webhookPing) response.writeHead(200).end()
    else held.resolve(response)
  })
  t.after(() => receiver.close())
  assert.equal((await publishCalledAt(receiver.url, '1.2.0')).code, 0)
  await partner('webhook', 'test', '--app', slug)
  const response = await held.promise
  const ended = host.stop()
  const { port } = new URL(host.url)
  const refused = async () => {
    const socket = connect(Number(port), '127.0.0.1')
    const isRefused = await once(socket, 'connect').then(
      () => false,
      () => true,
    )
    socket.destroy()
    return isRefused
  }
  while (!(await refused())) await pause(20)
  assert.equal(response.destroyed, false, 'the receiver may still answer')
  response.writeHead(200).end()
  assert.equal((await ended).code, 0)
})
