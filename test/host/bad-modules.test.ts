import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeModule } from './module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from './started-host.ts'

const folder = await hostFolder()
const sources = temporaryFolder()
let host: StartedHost
let tenant: string

before(async () => {
  host = await startHostProcess(folder.path)
  tenant = (await partner<{ tenants: { id: string }[] }>('sandbox')).tenants[0]!.id
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

async function run(...args: string[]): Promise<{ code: number | null; answer: never; stderr: string }> {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  return {
    code,
    answer: stdout === '' ? (null as never) : (JSON.parse(stdout.trim().split('\n').at(-1)!) as never),
    stderr,
  }
}
async function partner<Answer>(...args: string[]): Promise<Answer> {
  const { code, answer, stderr } = await run(...args)
  assert.equal(code, 0, stderr + JSON.stringify(answer))
  return answer
}

type Refusal = { message: string; findings: { file: string; line: number; message: string }[] }

for (const [what, source, message, file] of [
  ['does not compile', 'export default defineModule({ routes: { ', /does not compile/, 'src/index.ts'],
  ['exports nothing', 'export const nothing = 1', /does not compile/, 'src/index.ts'],
  [
    'imports a Node built-in',
    `import 'node:fs'\nimport { defineModule } from '@partner/sdk'\nexport default defineModule({})`,
    /compile/,
    'src/index.ts',
  ],
  [
    'throws while loading',
    `import { defineModule } from '@partner/sdk'\nthrow new Error('boom')\nexport default defineModule({})`,
    /does not load: boom/,
    'src/index.ts',
  ],
  [
    'never finishes loading',
    `import { defineModule } from '@partner/sdk'\nfor (;;) {}\nexport default defineModule({})`,
    /does not load/,
    'src/index.ts',
  ],
] as const) {
  test(`a module that ${what} is refused with its own file and line, and nothing is registered`, async () => {
    const slug = `bad_${what.replace(/\W+/g, '_').toLowerCase()}`
    const { code, answer } = await run(
      'publish',
      writeModule(sources.path, slug, { 'src/index.ts': source }),
      '--approve',
    )
    const refusal = answer as Refusal
    assert.equal(code, 1)
    assert.match(refusal.message, message)
    assert.equal(refusal.findings[0]!.file, file)
    assert.equal((await run('install', slug, '--tenant', tenant, '--yes')).code, 1)
  })
}

const naughty = `import { defineModule, html, json, redirect } from '@partner/sdk'
export default defineModule({
  routes: {
    'GET /': async () => html\`<h1>fine</h1>\`,
    'GET /throws': async () => {
      throw new TypeError('a message with a secret')
    },
    'GET /logs': async () => { console.error(new Error('caught')); return json(1) },
    'GET /never': () => new Promise(() => {}),
    'GET /loop': async () => { for (;;) {} },
    'GET /cycle': async () => { const a: Record<string, unknown> = {}; a.a = a; return json(a) },
    'GET /function': async () => (() => 1) as never,
    'GET /huge': async () => json('x'.repeat(50_000_000)),
    'GET /scripts': async () => html\`<p onclick="x">\${'<script>alert(1)</script>'}</p>\`,
    'GET /nest': async () => Array.from({ length: 120 }).reduce((inner) => html\`<div>\${inner}</div>\`, html\`x\`),
    'GET /large': async () => html\`<p>\${'x'.repeat(300_000)}</p>\`,
    'GET /long': async () => json('ك'.repeat(200_000)),
    'GET /doubled': async () => redirect('/m/naughty/logs'),
    'GET /there': async () => redirect('/logs?page=2'),
    'GET /form': async () => html\`<form method="post" action="/save"></form><a href="logs">x</a>\`,
    'GET /scope': async ({ services }) => services.education.students.list({}),
    'GET /sql': async ({ db }) => db.rows({ text: 'drop table x', values: [] } as never),
  },
})
`

type Invoked = {
  ok: boolean
  status: number
  error?: string
  text?: string
  invocation_id: string
  log: { level: string; message: string }[]
}

test('whatever a route does, its caller gets a typed answer, its log the place, and the next call works', async () => {
  const optionalScopes = ['education.students.read']
  const dir = writeModule(sources.path, 'naughty', { 'src/index.ts': naughty }, { optionalScopes })
  await partner('publish', dir, '--approve')
  await partner('install', 'naughty', '--tenant', tenant, '--scopes', '')
  const invoke = async (path: string) => (await run('invoke', 'naughty', path)).answer as Invoked
  for (const [path, status, error, log] of [
    ['/throws', 500, 'internal', /threw: a message with a secret\n[\s\S]*src\/index\.ts:6/],
    ['/never', 500, 'internal', /(never_settled|timeout): .*\n {4}in GET \/never$/],
    ['/cycle', 500, 'internal', /circular[\s\S]*\n {4}in GET \/cycle$/i],
    ['/function', 500, 'internal', /function/],
    ['/sql', 500, 'internal', /sql/i],
    ['/nest', 500, 'internal', /^unusable_answer: HTML is nested deeper/],
    ['/large', 500, 'internal', /^unusable_answer: HTML is larger.*\n {4}in GET \/large$/],
    ['/doubled', 500, 'internal', /^unusable_answer: it redirects below/],
    ['/form', 200, undefined, /^address_removed: action="\/save"/],
    ['/scope', 403, 'scope_not_granted', /education\.students\.read/],
    ['/absent', 404, undefined, null],
  ] as const) {
    const answer = await invoke(path)
    assert.deepEqual([answer.status, answer.error], [status, error], `${path}: ${JSON.stringify(answer)}`)
    if (log) assert.match(answer.log.map(({ message }) => message).join('\n'), log, path)
    const next = await invoke('/')
    assert.equal(next.status, 200, `after ${path}: ${JSON.stringify(next)}`)
  }
  const huge = await invoke('/huge')
  // Where fresh memory is slow, filling so much takes longer than a runner may be silent.
  const isLost = huge.error === 'unavailable'
  assert.deepEqual([huge.status, huge.error], isLost ? [503, 'unavailable'] : [500, 'internal'])
  assert.match(huge.log.at(-1)!.message, isLost ? /^runner_lost/ : /result_too_large|memory|timeout/)
  assert.equal((await invoke('/')).status, 200)
  const [caught] = (await invoke('/logs')).log
  assert.match(caught!.message, /^Error: caught\n {4}at GET \/logs .*\(src\/index\.ts:8:\d+\)/)
  assert.doesNotMatch(caught!.message, /partner:/)
  // As a browser or a program would see it: made safe, without the SDK's own marks.
  assert.equal((await invoke('/scripts')).text, '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
  assert.match((await invoke('/form')).text!, /action="\/m\/naughty"><\/form><a .*href="\/m\/naughty\/logs">/)
  assert.equal((await invoke('/long')).text, JSON.stringify('ك'.repeat(200_000)))
  const there = await invoke('/there')
  assert.deepEqual([there.status, there.text], [303, '/logs?page=2'])
  assert.equal((await invoke('/absent')).text, '')
  // On a busy machine the watchdog may come before the end of a stretched slice: then its runner is lost.
  const looping = await invoke('/loop')
  assert.match(`${looping.status} ${looping.error}`, /^(500 internal|503 unavailable)$/)
  assert.match(looping.log.map(({ message }) => message).join('\n'), /^(timeout|cpu|runner_lost: unresponsive)/)
  assert.equal((await invoke('/')).status, 200)
  const { stdout } = await runPartner(['logs', 'naughty', '--url', host.url]).ended
  assert.match(stdout, /a message with a secret/)
  assert.doesNotMatch(stdout, new RegExp(sources.path))
})
