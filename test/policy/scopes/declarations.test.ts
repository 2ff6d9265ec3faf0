// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound } from '../support/flow.ts'

const key = { key: 'clubs.meeting.moved', line: 12 }

test('an undeclared notification key is an error with the change of the manifest', () => {
  const { findings } = followModule(route("await ctx.notify('clubs.meeting.moved', {}, [])"))
  assert.deepEqual(
    findings.map((finding) => finding.rule),
    ['notification-key-not-declared'],
  )
  assert.match(findings[0]?.fix ?? '', /"clubs.meeting.moved"/)
})

test('a notification key made at run time is an error', () => {
  const found = rulesFound(
    followModule(route('await ctx.notify(`clubs.${ctx.query.key}`, {}, [])'), { notifications: [key] }),
  )
  assert.deepEqual(found, ['notification-key-not-declared', 'notification-key-unused'])
})

test('a declared key that is sent through an alias and a helper is no finding', () => {
  const files = route(
    'const { notify: send } = ctx; await tell(send)',
    "const moved = 'clubs.meeting.moved'\nconst tell = (send) => send(moved, {}, [])",
  )
  assert.deepEqual(rulesFound(followModule(files, { notifications: [key] })), [])
})

test('a declared key nothing sends is a warning at its line', () => {
  const { findings } = followModule(route('return 1'), { notifications: [key] })
  assert.deepEqual(
    findings.map(({ rule, severity, line }) => [rule, severity, line]),
    [['notification-key-unused', 'warning', 12]],
  )
})

test('a request to a host the manifest does not declare is an error', () => {
  assert.deepEqual(
    rulesFound(followModule(route("return ctx.fetch('https://api.example.com/v1')"), { egress: ['api.example.org'] })),
    ['egress-undeclared'],
  )
  assert.deepEqual(rulesFound(followModule(route('return ctx.fetch(`https://api.example.com/${ctx.query.id}`)'))), [
    'egress-undeclared',
  ])
  assert.deepEqual(rulesFound(followModule(route('return ctx.fetch(ctx.query.url)'))), ['egress-undeclared'])
  assert.deepEqual(
    rulesFound(followModule(route('return new Client({ fetch: ctx.fetch })', "import Client from 'client'"))),
    ['egress-undeclared'],
  )
})

test('a request to a declared host is no finding', () => {
  const egress = ['api.example.com']
  assert.deepEqual(
    rulesFound(followModule(route('return ctx.fetch(`https://api.example.com/${ctx.query.id}`)'), { egress })),
    [],
  )
  assert.deepEqual(
    rulesFound(followModule(route("const { fetch: get } = ctx; return get('https://API.example.com')"), { egress })),
    [],
  )
})

const widget = (base: string) => ({
  'src/index.ts': `import { defineModule, LandingWidget, html } from '@partner/sdk'\nimport * as lib from 'lib'\nclass Own extends LandingWidget {}\nclass W ${base} { render = async ({ settings }) => html\`<p>x</p>\`\n actions = { submit: async ({ services, withPublicWrite }) => withPublicWrite('submit', () => services.contacts.enquiries.create({})) } }\nexport default defineModule({ widgets: { enquiry: W } })`,
})

test('a widget extends the base class, itself or through a class of the module', () => {
  for (const base of ['extends LandingWidget', 'extends Own']) {
    const analysis = followModule(widget(base))
    assert.deepEqual(
      [rulesFound(analysis), analysis.scopes.used.map((use) => use.scope)],
      [[], ['contacts.enquiries.write']],
    )
  }
})

test('a widget that extends nothing, or something else, is an error', () => {
  for (const base of ['', 'extends lib.Widget', 'extends Object'])
    assert.ok(rulesFound(followModule(widget(base))).includes('landing-widget-base-class'))
})

test('a declared widget the module does not export is an error', () => {
  const widgets = [
    { component: 'enquiry', line: 3 },
    { component: 'news', line: 7 },
  ]
  const { findings } = followModule(widget('extends LandingWidget'), { widgets })
  assert.deepEqual(
    findings.filter((finding) => finding.rule !== 'scope-undeclared').map(({ rule, line }) => [rule, line]),
    [['landing-widget-missing', 7]],
  )
})

for (const [name, body, more] of [
  ['called', "return ctx.db.rows(sql(['select 1']))"],
  ['called through an alias', "const q = sql; return ctx.db.rows(q(['select 1']))"],
  ['called through a helper', 'return run(sql)', "const run = (tag) => tag(['select 1'])"],
  ['given away', 'return lib(sql)', "import lib from 'lib'"],
  ['called as html', "return html(['<b>'])"],
] as const) {
  test(`a tag ${name} is an error`, () => assert.deepEqual(rulesFound(followModule(route(body, more))), ['tag-called']))
}

test('a scope that a tool requires is one the manifest requests', () => {
  const tool = `import { defineModule, tool } from '@partner/sdk'
const one = tool({ name: 'a', description: 'a', parameters: {}, requiredScopes: ['education.grades.read',
  'education.terms.read'], handler: async () => 1 })
export default defineModule({ tools: [one] })`
  const { findings } = followModule({ 'src/index.ts': tool }, { scopes: [{ key: 'education.grades.read', line: 1 }] })
  assert.deepEqual(
    findings.map(({ rule, file, line }) => [rule, file, line]),
    [
      ['scope-unused', 'manifest.json', 1],
      ['scope-undeclared', 'src/index.ts', 3],
    ],
  )
})
