import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runPartner, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { browse, signIn } from '../pages/support.ts'

const folder = temporaryFolder()
let host: StartedHost

before(async () => {
  host = await startHostProcess(join(folder.path, 'data'), [], { HOME: folder.path, LOG_LEVEL: 'trace' })
})
after(async () => {
  await host?.stop()
  folder.remove()
})

type Sandbox = {
  tenants: {
    id: string
    installations: { app: string; token: string }[]
    users: { username: string; password: string }[]
  }[]
}

async function partner(...args: string[]): Promise<{ json: string; all: string }> {
  const settings = { HOME: folder.path, LOG_LEVEL: 'trace' }
  const { stdout, stderr } = await runPartner([...args, '--json', '--url', host.url], settings).ended
  return { json: stdout, all: stderr }
}

const send = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(host.url + path, { redirect: 'manual', ...init })
  await answer.arrayBuffer()
  return answer.status
}

/** What a token meets in its life: reads, writes, refusals of every kind, and places where no token belongs. */
async function useToken(token: string): Promise<number[]> {
  const authorization = `Bearer ${token}`
  const json = { authorization, 'content-type': 'application/json' }
  const post = (body: string, headers: Record<string, string> = json) =>
    send('/apps/education/students', { method: 'POST', headers, body })
  return [
    await send('/apps/whoami', { headers: { authorization } }),
    await send('/sandbox/apps/whoami', { headers: { authorization } }),
    await post(JSON.stringify({ full_name: 'Logged' })),
    await post(JSON.stringify({ full_name: 'Logged' }), { ...json, 'idempotency-key': token }),
    await post(JSON.stringify({ full_name: 7, token })),
    await post(`{"token": "${token}`),
    await post('x'.repeat(3_000_000)),
    await post(token, { authorization, 'content-type': 'text/plain' }),
    await send('/apps/whoami', { headers: { authorization: `Bearer ${token}x` } }),
    await send('/apps/whoami', { headers: { authorization: `Basic ${token}` } }),
    await send(`/apps/whoami?token=${token}`),
    await send(`/apps/${token}`, { headers: { authorization } }),
    await send(`/apps/%ff${token}`, { headers: { authorization } }),
    await send(`/apps/education/students/${token}?search=${token}&page=x`, { headers: { authorization } }),
    await send(`/${token}`, { headers: { cookie: `partner_session=${token}` } }),
    await send('/operator/sandbox', { headers: { authorization } }),
  ]
}

test('a host that logs everything logs no token, no password and no operator token', async () => {
  const { tenants } = JSON.parse((await partner('sandbox')).json) as Sandbox
  const tokens = tenants.flatMap(({ installations }) => installations.map(({ token }) => token))
  const users = tenants.flatMap((tenant) => tenant.users)
  const [credential] = readdirSync(join(folder.path, '.partner'))
  const operator = JSON.parse(readFileSync(join(folder.path, '.partner', credential!), 'utf8')).token as string
  assert.match(operator, /^op_.{40,}$/)

  const registrar = tenants[0]!.installations.find(({ app }) => app === 'registrar')!
  const statuses = await useToken(registrar.token)
  assert.deepEqual([statuses[0], statuses[2]], [200, 201])
  assert.ok(
    statuses.slice(4).every((status) => status >= 300 && status < 500),
    statuses.join(),
  )
  const user = { personId: '', ...users[0]! }
  assert.equal((await signIn(browse(host), user)).status, 303)
  assert.equal((await signIn(browse(host), { ...user, username: user.password })).status, 401)
  await send('/operator/nothing', { headers: { authorization: `Bearer ${operator}` } })
  await send(`/operator/sandbox?token=${operator}`)
  const rotated = await partner('token', 'rotate', 'registrar', '--tenant', tenants[0]!.id)
  const { token: newest } = JSON.parse(rotated.json) as { token: string }
  await useToken(newest)
  const refused = await partner('token', 'rotate', newest, '--tenant', operator)

  const { stdout, stderr } = await host.stop()
  const written = stdout + stderr + rotated.all + refused.all
  assert.match(stderr, /"level":(10|20)/, 'the finest levels are on')
  assert.doesNotMatch(written, /pit_(live|test)_[0-9A-Za-z]{46}/)
  for (const secret of [...tokens, newest, operator, ...users.map(({ password }) => password)])
    assert.ok(!written.includes(secret), `a secret that begins with ${secret.slice(0, 4)}`)
})
