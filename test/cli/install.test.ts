import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { install } from '../../host/cli/install.ts'
import { keepCredential } from '../../host/supervisor/operator-credential.ts'
import { temporaryFolder } from '../host/started-host.ts'

const home = temporaryFolder()
const oldHome = process.env.HOME
const asked: unknown[] = []
const app = {
  display_name: 'Notes',
  version: '1.0.0',
  scopes: [{ key: 'education.students.read', required: true, reason: 'r', dangerous: false, description: {} }],
}
/** A host that keeps what it is asked to install. */
const host = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => (body += part))
  request.on('end', () => {
    if (request.method === 'POST') asked.push(JSON.parse(body))
    const answer = request.method === 'POST' ? { installationId: 'one', scopes: [], token: null } : { app }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
})
let url: string

before(async () => {
  process.env.HOME = home.path
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  keepCredential({ url, token: 'op_test', partnersPath: '/partners' })
})
after(() => {
  if (oldHome === undefined) delete process.env.HOME
  else process.env.HOME = oldHome
  host.close()
  home.remove()
})

test('what is granted is what was shown, though a newer version may ask for more by then', async () => {
  await install('notes', { url, json: true, tenant: 'here', yes: true })
  await install('notes', { url, json: true, tenant: 'here', scopes: '' })
  assert.deepEqual(asked, [
    { slug: 'notes', tenant: 'here', scopes: ['education.students.read'] },
    { slug: 'notes', tenant: 'here', scopes: [] },
  ])
})
