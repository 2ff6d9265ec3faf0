import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hostFolder, type StartedHost, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { writeModule } from '../host/module-folder.ts'
import { newPartner, operatorToken, portalOf, sourceOf } from '../lifecycle/support.ts'

/** What JSON and URLs can say and PostgreSQL cannot store. Every door refuses it; none fails over it. */
const unstorable = ['\0', 'a\0b', '\ud800', 'a\ud800b']

const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let operator: Ask
let partner: Ask
let open: Ask
let tenant: string

type Body = Record<string, unknown> | URLSearchParams
type Ask = (method: string, path: string, body?: Body) => Promise<{ status: number; text: string }>

function asking(headers: Record<string, string>): Ask {
  return async (method, path, body) => {
    const json = body !== undefined && !(body instanceof URLSearchParams)
    const answer = await fetch(host.url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
    })
    return { status: answer.status, text: await answer.text() }
  }
}
const bearer = (token: string) => asking({ authorization: `Bearer ${token}` })
async function refused(ask: Ask, method: string, path: string, body?: Body): Promise<void> {
  const { status, text } = await ask(method, path, body)
  assert.ok(status >= 400 && status < 500, `${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`)
}

before(async () => {
  host = await startHostProcess(folder.path)
  const { key, portal } = await newPartner(host, 'Sahab Apps')
  ;[operator, partner, open] = [bearer(operatorToken(host)), bearer(key), asking({})]
  tenant = (await portalOf(host, operatorToken(host), '/operator')('/sandbox')).body.tenants[0].id
  assert.equal((await portal('/apps', { ...app, slug: 'mine' })).status, 201)
  assert.equal((await portal('/apps/mine/versions', { manifest: manifestOf({}) })).status, 201)
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

const app = { slug: 'another', display_name: 'Mine', integration_type: 'external' }
const manifestOf = (more: object) => ({
  moduleId: 'mine',
  displayName: 'Mine',
  version: '1.0.0',
  category: 'test',
  description: 'An app of the tests.',
  integrationType: 'external',
  ...more,
})
const version = '/partners/api/apps/mine/versions/1.0.0'

test('in a path or a query', async () => {
  for (const name of ['%00', 'a%00b', '%ED%A0%80']) {
    for (const path of ['/operator/apps/', '/partners/api/apps/', '/partners/api/apps/mine/versions/'])
      await refused(operator, 'GET', path + name)
    for (const path of [`/apps/${name}`, `/apps/mine/versions/${name}`, `/apps/mine/sql-drafts/${name}`])
      await refused(partner, 'DELETE', `/partners/api${path}`)
    await refused(partner, 'GET', `/partners/api/apps/mine/deliveries/${name}`)
    await refused(open, 'GET', `/m/${name}`)
  }
  for (const path of ['/operator/logs?app=', '/operator/limits?app=', '/oauth/authorize?client_id='])
    await refused(path.startsWith('/oauth') ? open : operator, 'GET', `${path}%00`)
  for (const query of ['event=%00', 'installation_id=%00', 'state=%00'])
    await refused(operator, 'GET', `/partners/api/apps/mine/deliveries?${query}`)
})

test("in an operator's request", async () => {
  for (const text of unstorable) {
    for (const [path, body] of Object.entries({
      '/limits': { app: text, limits: {} },
      '/lift': { slug: text },
      '/partners': { name: text },
      '/partners/revoke': { key: text },
      '/hosts': { host: text, tenant },
      '/install': { slug: text, tenant },
      '/uninstall': { slug: text, tenant },
      '/tokens/rotate': { slug: text, tenant },
      '/invoke': { slug: text, target: '/' },
      '/publish': { files: { [text]: '' } },
      '/import-school': { tenant, files: { [text]: '' } },
    }))
      await refused(operator, 'POST', `/operator${path}`, body)
    for (const more of [{ as: text }, { tenant: text }])
      await refused(operator, 'POST', '/operator/invoke', { slug: 'mine', target: '/', ...more })
  }
})

test("in a partner's request", async () => {
  for (const text of unstorable) {
    for (const more of [{ display_name: text }, { slug: text }, { declarations: { description: text } }])
      await refused(partner, 'POST', '/partners/api/apps', { ...app, ...more })
    await refused(partner, 'PATCH', '/partners/api/apps/mine', { display_name: text })
    await refused(partner, 'POST', `${version}/comments`, { comment: text })
    await refused(operator, 'POST', `${version}/reject`, { comment: text })
    await refused(partner, 'POST', '/partners/api/apps/mine/webhook/test', { event: text })
    for (const more of [
      { displayName: text },
      { description: text },
      { category: text },
      { version: text },
      { [text]: 1 },
    ]) {
      const manifest = manifestOf(more)
      const files = { 'manifest.json': Buffer.from(JSON.stringify(manifest)).toString('base64') }
      await refused(partner, 'POST', '/partners/api/apps/mine/versions', { manifest })
      await refused(partner, 'PUT', version, { manifest })
      await refused(partner, 'POST', '/partners/api/publish', { files })
      await refused(operator, 'POST', '/operator/publish', { files })
    }
  }
})

test('in a client id, a code or a form', async () => {
  for (const text of ['\0', 'a\0b']) {
    const fields = { grant_type: 'authorization_code', redirect_uri: 'https://a.example/', code: text, client_id: text }
    await refused(open, 'POST', '/oauth/token', new URLSearchParams({ ...fields, client_secret: text }))
    const basic = Buffer.from(`${encodeURIComponent(text)}:x`).toString('base64')
    const { client_id, ...rest } = fields
    await refused(asking({ authorization: `Basic ${basic}` }), 'POST', '/oauth/token', new URLSearchParams(rest))
    await refused(open, 'POST', '/sign-in', new URLSearchParams({ username: text, password: text }))
  }
})

test('in what a module says of itself, or what the scan says of it', async () => {
  const routes = (name: string, body = 'json(1)') => `import { defineModule, json } from '@partner/sdk'
export default defineModule({ routes: { 'GET /${name}': async ({ services }) => ${body} } })`
  for (const broken of ['\\u0000', '\\ud800']) {
    const texts = [
      routes(broken),
      routes('', `json(await services['educ${broken}'].x.list({}))`),
      routes('', `json(\`${broken}\`)`),
    ]
    const answers = await Promise.all(
      texts.map(async (source, index) => {
        const dir = writeModule(sources.path, `m${broken.length}_${broken.slice(2)}_${index}`, {
          'src/index.ts': source,
        })
        return operator('POST', '/operator/publish', { ...sourceOf(dir), approve: true })
      }),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 422, 200],
      answers.map(({ text }) => text).join('\n'),
    )
    assert.match(answers[0]!.text, /the module does not load: a path or a name holds NUL, or half a character/)
  }
})
