// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound, usedScopes } from '../support/flow.ts'

const read = 'education.students.read'
const sdk = "import { defineModule } from '@partner/sdk'\n"

/** Ways honest code reaches a service; each must be followed, with nothing to complain about. */
const followed: Record<string, Record<string, string>> = {
  'a direct call': route('await ctx.services.education.students.list({})'),
  'destructuring in the body': route(
    'const { services: { education } } = ctx; const { students: pupils } = education; await pupils.list({})',
  ),
  'an alias of the operation': route('const list = ctx.services.education.students.list; return list({})'),
  'a literal key': route("return ctx.services['education']['students'][`list`]({})"),
  'a constant key': route('return ctx.services[feature].students.list({})', "const feature = 'education'"),
  'a default in destructuring': route(
    'const { services = ctx.services } = ctx; return services.education.students.list({})',
  ),
  'a choice of two': route(
    'const part = ctx.viewer ? ctx.services.education.students : ctx.services.education.students; return part.list({})',
  ),
  'casts and non-null': route('return (ctx as any)!.services!.education.students.list({})'),
  'optional chains': route('return ctx?.services?.education?.students?.list?.({})'),
  'a helper in the file': route(
    'return all(ctx.services)',
    'const all = (services: unknown) => services.education.students.list({})',
  ),
  'an object as argument': route(
    'return all({ deep: { services: ctx.services } })',
    'function all({ deep }) { return deep.services.education.students.list({}) }',
  ),
  'a list as argument': route(
    'return all([1, ctx.services])',
    'function all([, services]) { return services.education.students.list({}) }',
  ),
  'rest and spread arguments': route(
    'return all(...[ctx.services])',
    'function all(...given) { return given[0].education.students.list({}) }',
  ),
  'a spread context': route(
    'return all({ ...ctx, title: 1 })',
    'function all({ services }) { return services.education.students.list({}) }',
  ),
  'the rest of the context': route('const { db, ...others } = ctx; return others.services.education.students.list({})'),
  'a callback of the module': route(
    'return using(ctx, (services) => services.education.students.list({}))',
    'const using = (ctx, run) => run(ctx.services)',
  ),
  'a closure': route(
    'const load = async (id) => ctx.services.education.students.get({ id }); return Promise.all([1].map(load))',
  ),
  'a loop over services': route('for (const part of [ctx.services.education.students]) await part.list({})'),
  'a map over services': route('await Promise.all([ctx.services.education.students].map((part) => part.list({})))'),
  'a class of the module': route(
    'return new Pupils(ctx.services).all()',
    'class Pupils { constructor(private services: unknown) {} all() { return this.services.education.students.list({}) } }',
  ),
  'an inherited method': route(
    'return new Child(ctx.services).all()',
    'class Base { constructor(services) { this.services = services } }\nclass Child extends Base { all() { return this.services.education.students.list({}) } }',
  ),
  'a returned closure': route(
    'return make(ctx)()',
    'const make = ({ services }) => () => services.education.students.list({})',
  ),
  'call, apply and bind': route(
    'return [f.call(null, ctx.services), f.apply(null, [ctx.services]), f.bind(null, ctx.services)()]',
    'function f(services) { return services.education.students.list({}) }',
  ),
  'Object.assign': route(
    'const all = Object.assign({}, { services: ctx.services }); return all.services.education.students.list({})',
  ),
  'Object.values': route(
    'return Promise.all(Object.values({ a: ctx.services.education.students }).map((part) => part.list({})))',
  ),
  'a getter': route('const all = { get part() { return ctx.services.education.students } }; return all.part.list({})'),
  'a setter of a literal': route(
    'const all = { set part(p) { p.list({}) } }; all.part = ctx.services.education.students',
  ),
  'a setter of a class': route(
    'const all = new All(); all.part = ctx.services.education.students',
    'class All { set part(p) { p.list({}) } }',
  ),
  __proto__: route('const all = { __proto__: { s: ctx.services } }; return all.s.education.students.list({})'),
  'a tag of the module': route(
    'return tag`${ctx.services}`',
    'const tag = (texts, s) => s.education.students.list({})',
  ),
  'a generator of the module': route(
    'return each(ctx.services).next()',
    'function* each(s) { s.education.students.list({}) }',
  ),
  'a Set': route('for (const s of new Set([ctx.services])) s.education.students.list({})'),
  'a transaction': route(
    'return ctx.db.transaction(async (tx) => { await tx.rows(sql`select 1`); return ctx.services.education.students.list({}) })',
  ),
  'a wrapped handler': {
    'src/index.ts': `${sdk}const guarded = (run) => async (ctx) => run(ctx)\nexport default defineModule({ routes: { 'GET /': guarded(async ({ services }) => services.education.students.list({})) } })`,
  },
  'routes spread from another file': {
    'src/index.ts': `${sdk}import { routes } from './routes.ts'\nexport default defineModule({ routes: { ...routes } })`,
    'src/routes.ts':
      "import * as pupils from './lib'\nexport const routes = { 'GET /': async ({ services }) => pupils.all(services) }",
    'src/lib/index.ts': "export * from './pupils.js'",
    'src/lib/pupils.ts': 'export const all = (services) => services.education.students.list({})',
  },
  'a default export': {
    'src/index.ts': `${sdk}import handler from './handler.ts'\nconst routes = { 'GET /': handler }\nconst module = defineModule({ routes })\nexport { module as default }`,
    'src/handler.ts': 'export default async function ({ services }) { return services.education.students.list({}) }',
  },
  'a cycle of files': {
    'src/index.ts': `${sdk}import { a } from './a.ts'\nexport default defineModule({ routes: { 'GET /': a } })`,
    'src/a.ts':
      "import { b } from './b.ts'\nexport const a = (ctx) => b(ctx)\nexport const c = ({ services }) => services.education.students.list({})",
    'src/b.ts': "import { c } from './a.ts'\nexport const b = (ctx) => c(ctx)",
  },
  'a table of handlers made from entries': {
    'src/index.ts': `${sdk}const one = async ({ services }) => services.education.students.list({})\nexport default defineModule({ routes: Object.fromEntries([['GET /', one]]) })`,
  },
}

for (const [name, files] of Object.entries(followed)) {
  test(`the scope is inferred through ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual(usedScopes(analysis), [read])
    assert.deepEqual(rulesFound(analysis), [])
  })
}

/** Ways to hide a use. Each is an error, or the scope is reported: never neither. */
const hidden: Record<string, readonly [string, Record<string, string>]> = {
  'a key made at run time': ['scope-untraceable', route('return ctx.services[ctx.query.feature].students.list({})')],
  'a computed destructuring': ['scope-untraceable', route('const { [ctx.query.key]: found } = ctx; return found')],
  'a dependency given services': ['context-escape', route('return lib(ctx.services)', "import lib from 'lib'")],
  'a dependency given an object holding services': [
    'context-escape',
    route('return lib({ a: [{ services: ctx.services }] })', "import lib from 'lib'"),
  ],
  'a dependency given the context': ['context-escape', route('return lib(ctx)', "import lib from 'lib'")],
  'a dependency given db': ['context-escape', route('return lib(ctx.db)', "import lib from 'lib'")],
  'a dependency given a function that returns services': [
    'context-escape',
    route('return lib(() => ctx.services)', "import lib from 'lib'"),
  ],
  'a dependency that wraps the handler': [
    'scope-untraceable',
    {
      'src/index.ts': `${sdk}import wrap from 'wrap'\nexport default defineModule({ routes: { 'GET /': wrap(async ({ services }) => services) } })`,
    },
  ],
  'services returned to the host': ['context-escape', route('return ctx.services')],
  'the context thrown': ['context-escape', route('throw ctx')],
  'services yielded': ['context-escape', route('function* give() { yield ctx.services } return [...give()]')],
  'services kept in the module': [
    'context-stored',
    route('kept = ctx.services; return kept.education.students.list({})', 'let kept'),
  ],
  'services kept in an object of the module': [
    'context-stored',
    route('cache.services = ctx.services; return 1', 'const cache = {}'),
  ],
  'services kept in a Map': ['context-stored', route("cache.set('s', ctx.services)", 'const cache = new Map()')],
  'services kept on the global object': ['context-escape', route('globalThis.kept = ctx.services')],
  'the context kept on a global that the file only declares': [
    'context-escape',
    route('globalThis.kept = ctx', 'declare const globalThis: any'),
  ],
  'services kept on a global that the file only declares, and used there': [
    'context-escape',
    route('JSON.box = ctx.services; return JSON.box.education.students.list({})', 'declare const JSON: { box: any }'),
  ],
  'services kept in a variable that a declaration of types alone hides': [
    'context-stored',
    route('declare let kept: any; kept = ctx.services', 'let kept'),
  ],
  'services spread': ['scope-untraceable', route('return { ...ctx.services }')],
  'services listed': ['scope-untraceable', route('return Object.values(ctx.services)')],
  'services reflected': ['context-escape', route("return Reflect.get(ctx.services, 'education')")],
  'services proxied': ['context-escape', route('return new Proxy(ctx.services, {})')],
  'an operation borrowed': ['scope-untraceable', route('return ctx.services.education.students.list.call(null, {})')],
  'an operation that does not exist': ['operation-unknown', route('return ctx.services.education.students.remove({})')],
  'services handed out by arguments': [
    'scope-untraceable',
    {
      'src/index.ts': `${sdk}export default defineModule({ routes: { 'GET /': function () { return arguments[0].services } } })`,
    },
  ],
  'services given out by toJSON': ['context-escape', route('return { toJSON() { return ctx.services } }')],
  'a function used as a class': ['context-escape', route('return new F(ctx.services)', 'function F(s) { this.s = s }')],
  'services as this of a callback': [
    'context-escape',
    route('return [1].map(function () { return this }, ctx.services)'),
  ],
  'services in a WeakMap': ['context-escape', route('new WeakMap().set(ctx, ctx.services)')],
  'services as a prototype': ['scope-untraceable', route('return Object.create(ctx.services)')],
  'one of two callees that is not known': [
    'context-escape',
    route('const f = ctx.viewer ? own : lib; return f(ctx.services)', "import lib from 'lib'\nconst own = (s) => s"),
  ],
  'a decorator': [
    'context-escape',
    route('return new A(ctx.services)', "import d from 'd'\n@d class A { constructor(s) { return d(s) } }"),
  ],
}

for (const [name, [rule, files]] of Object.entries(hidden)) {
  test(`${name} is an error`, () => {
    assert.ok(rulesFound(followModule(files)).includes(rule), `${rule} not in ${rulesFound(followModule(files))}`)
  })
}

test('a use in code nobody was seen to call is reported all the same', () => {
  const files = {
    ...route('return 1'),
    'src/unused.ts': 'export const all = async ({ services }) => services.education.students.list({})',
  }
  assert.deepEqual(usedScopes(followModule(files)), [read])
})

test('an undeclared scope names the line of use and the change of the manifest', () => {
  const found = followModule(route('return ctx.services.employees.directory.create({})')).findings
  assert.equal(found.length, 1)
  assert.deepEqual([found[0]?.rule, found[0]?.file, found[0]?.line], ['scope-undeclared', 'src/index.ts', 4])
  assert.match(found[0]?.fix ?? '', /\{"key": "employees.directory.write", "required": true, "reason": "…"\}/)
})

test('a declared scope nothing uses is a warning at its line of the manifest', () => {
  const scopes = [
    { key: read, line: 9 },
    { key: 'education.grades.read', line: 14 },
  ]
  const analysis = followModule(route('return ctx.services.education.students.list({})'), { scopes })
  assert.deepEqual(
    analysis.findings.map(({ rule, severity, line }) => [rule, severity, line]),
    [['scope-unused', 'warning', 14]],
  )
  assert.deepEqual(analysis.scopes.unused, ['education.grades.read'])
})

test('an operation that needs no scope asks for none', () => {
  const analysis = followModule(route('return ctx.services.tenant.clock()'))
  assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [[], []])
})

test('publishing needs the realtime scope', () => {
  assert.deepEqual(usedScopes(followModule(route("await ctx.publish('tick', { at: 1 })"))), ['realtime.messages.write'])
})
