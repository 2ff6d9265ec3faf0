import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { type Answer, newPartner, operatorToken, type Portal, portalOf, sourceOf } from '../lifecycle/support.ts'
import { signIn } from './browser.ts'
import { openHostDatabase } from './host-database.ts'
import { writeModule } from './module-folder.ts'
import {
  type Ended,
  hostFolder,
  runPartner,
  type StartedHost,
  startHostProcess,
  temporaryFolder,
} from './started-host.ts'

const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let database: pg.Pool
let operator: Portal
let tenant: { id: string; users: { username: string; password: string }[] }

/** Uses about 300 ms of CPU in pieces far shorter than a slice; calls the host as often as it is told. */
const source = `import { defineModule, json } from '@partner/sdk'
export default defineModule({ routes: {
  'GET /work': async () => {
    let sum = 1
    for (let piece = 0; piece < 20; piece++) {
      for (let i = 0; i < 3e6; i++) sum = (sum * 31 + i) | 0
      await new Promise((done) => setTimeout(done, 1))
    }
    return json(\`worked: \${sum}\`)
  },
  'GET /ask': async ({ services, query }) => {
    for (let call = 0; call < Number(query.times); call++) await services.tenant.clock({})
    return json('asked')
  },
} })
`

before(async () => {
  host = await startHostProcess(folder.path, ['--no-samples'], { WEB_PROCESSES: '2' })
  database = openHostDatabase(folder.path)
  operator = portalOf(host, operatorToken(host), '/operator')
  tenant = (await operator('/sandbox')).body.tenants[0]
  for (const slug of ['narrow', 'neighbour']) {
    const files = sourceOf(writeModule(sources.path, slug, { 'src/index.ts': source }))
    assert.equal((await operator('/publish', { ...files, approve: true })).status, 200)
    assert.equal((await operator('/install', { slug, tenant: tenant.id })).status, 200)
  }
})
after(async () => {
  await database?.end()
  await host?.stop()
  folder.remove()
  sources.remove()
})

const partner = (...args: string[]): Promise<Ended> => runPartner([...args, '--url', host.url]).ended
const set = (limits: unknown, app = 'narrow') => operator('/limits', { app, limits })
const valueIn = ({ body }: Answer, name: string): number =>
  body.limits.find((limit: { name: string }) => limit.name === name).value
/** What a call comes to: its result, or why its log says that it was ended. */
async function call(slug: string, target: string): Promise<string> {
  const { body } = await operator('/invoke', { slug, target })
  return body.ok ? body.text : body.log.at(-1).message.split(':')[0]
}
/** Calls on connections of their own, which go to all web processes. */
const everywhere = async (target: string) => [
  ...new Set(await Promise.all(Array.from({ length: 6 }, () => call('narrow', target)))),
]

test('an app has its own CPU time until it is put back, and its neighbour never', async () => {
  assert.match(await call('narrow', '/work'), /worked/)
  assert.equal(valueIn(await set({ cpuMs: 100 }), 'cpuMs'), 100)
  assert.equal(await call('narrow', '/work'), 'cpu')
  assert.match(await call('neighbour', '/work'), /worked/)
  assert.equal(valueIn(await set({ cpuMs: null }), 'cpuMs'), 1_000)
  assert.match(await call('narrow', '/work'), /worked/)
})

test('a change holds in every web process when it is answered, whether narrower or wider', async () => {
  const asked = await everywhere('/ask?times=5')
  assert.deepEqual([asked.length, /asked/.test(asked[0]!)], [1, true], asked.join())
  await set({ totalCalls: 3 })
  assert.deepEqual(await everywhere('/ask?times=5'), ['too_many_calls'])
  assert.match(await call('neighbour', '/ask?times=5'), /asked/)
  await set({ totalCalls: 510 })
  assert.match(await call('narrow', '/ask?times=505'), /asked/)
  assert.equal(await call('neighbour', '/ask?times=505'), 'too_many_calls')
  await set(null)
  assert.deepEqual(await everywhere('/ask?times=5'), asked)
})

test('a wrong change is refused with every wrong field, and changes nothing', async () => {
  const before = await operator('/limits?app=narrow')
  const { status, body } = await set({ cpuMs: 10, wallMs: 'long', totalCalls: 1.5, memoryMb: 128, logLines: 5 })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.errors).sort(), [
    'limits.cpuMs',
    'limits.memoryMb',
    'limits.totalCalls',
    'limits.wallMs',
  ])
  assert.match(body.errors['limits.cpuMs'][0], /from 50 to 60000/)
  for (const wrong of [[], 'none', undefined]) assert.equal((await set(wrong)).status, 422)
  assert.equal((await operator('/limits')).status, 422)
  assert.equal((await set({ cpuMs: 100 }, 'nobody')).status, 404)
  assert.equal((await operator('/limits?app=nobody')).status, 404)
  assert.deepEqual(await operator('/limits?app=narrow'), before)
})

test('nobody but the operator sees or sets a limit: no partner, no school, no app', async () => {
  const { key } = await newPartner(host, 'Wishful')
  const administrator = await signIn(host.url, tenant.users.find(({ username }) => username === 'administrator')!)
  const token = (await operator('/tokens/rotate', { slug: 'narrow', tenant: tenant.id })).body.token
  for (const headers of [
    {},
    { authorization: `Bearer ${key}` },
    { authorization: `Bearer ${token}` },
    { cookie: administrator.cookie },
  ] as Record<string, string>[]) {
    const body = JSON.stringify({ app: 'narrow', limits: { cpuMs: 60_000 } })
    const asked = await fetch(`${host.url}/operator/limits?app=narrow`, { headers })
    const sent = { ...headers, 'content-type': 'application/json' }
    const changed = await fetch(`${host.url}/operator/limits`, { method: 'POST', headers: sent, body })
    assert.deepEqual([asked.status, changed.status], [401, 401])
  }
  const { rows } = await database.query(`select limits from core.apps where slug = 'narrow'`)
  assert.deepEqual(rows, [{ limits: {} }])
})

test('partner limits shows every limit with its default and range, sets some and puts them back', async () => {
  const changed = await partner('limits', '--set', 'cpuMs=2000', 'narrow', '--set', 'wallMs=20000')
  assert.equal(changed.code, 0, changed.stderr)
  assert.match(changed.stdout, /^cpuMs +2000\* +1000 +50 to 60000$/m)
  assert.match(changed.stdout, /^wallMs +20000\* +10000 /m)
  assert.match(changed.stdout, /^logLineLength +2000 +2000 /m)
  const one = JSON.parse((await partner('limits', 'narrow', '--set', 'cpuMs=default', '--json')).stdout)
  assert.deepEqual(one.limits.slice(0, 2), [
    { name: 'cpuMs', value: 1_000, own: false, default: 1_000, min: 50, max: 60_000 },
    { name: 'wallMs', value: 20_000, own: true, default: 10_000, min: 50, max: 120_000 },
  ])
  const wrong = await partner('limits', 'narrow', '--set', 'logLines=5', '--set', 'wallMs=1s', '--set', 'pages=3')
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(
    wrong.stderr,
    /^partner: wallMs must be a whole number from 50 to 120000, or default; "pages" is no .+\n$/,
  )
  assert.equal((await partner('limits', 'nobody')).code, 1)
  const reset = await partner('limits', 'narrow', '--reset')
  assert.equal(reset.code, 0, reset.stderr)
  assert.doesNotMatch(reset.stdout, /\*/)
})

test('what is stored and cannot be used is ignored, shown, and logged once', async () => {
  const stored = { cpuMs: 'many', wallMs: 1, nonsense: true, totalCalls: 3 }
  await database.query(`update core.apps set limits = $1 where slug = 'narrow'`, [stored])
  const { body } = await set({})
  assert.equal(body.problems.length, 3, body.problems.join())
  assert.match(await call('narrow', '/work'), /worked/)
  assert.equal(await call('narrow', '/ask?times=5'), 'too_many_calls', 'what can be used holds')
  assert.deepEqual((await set(null)).body.problems, [])
  await assert.rejects(database.query(`update core.apps set limits = '[]' where slug = 'narrow'`), /check/)
  const { stdout, stderr } = await host.stop()
  const lines = (stdout + stderr).split('\n').filter((line) => line.includes('limits of app narrow: cpuMs must be'))
  assert.ok(lines.length >= 1 && lines.length <= 2, 'once in each web process')
})
