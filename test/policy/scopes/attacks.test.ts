// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound, usedScopes } from '../support/flow.ts'
import { checkTangles } from '../support/tangles.ts'

const read = 'education.students.read'
const sdk = "import { defineModule } from '@partner/sdk'\n"
const use = (services: string) => `${services}.education.students.list({})`

/** Ways to use a service, or to give it away, unseen. The scan either infers the scope or refuses the code. */
const attacks: Record<string, Record<string, string>> = {
  'Symbol key': route(`const k = Symbol(); const o = { [k]: ctx.services }; return ${use('o[k]')}`),
  'array destructure swap': route(`let a, b = ctx.services; [a, b] = [b, a]; return ${use('a')}`),
  'for in key': route(`for (const k in ctx) { if (k === 'services') return ${use('ctx[k]')} }`),
  'reduce path': route(`return ['education','students','list'].reduce((o, k) => o[k], ctx.services)({})`),
  'promise then ctor': route(`return new Promise((r) => r(ctx.services)).then((s) => ${use('s')})`),
  'for await': route(
    `for await (const s of gen(ctx)) return ${use('s')}`,
    'async function* gen(c) { yield c.services }',
  ),
  'generator yield delegates': route(
    `for (const s of gen(ctx)) return ${use('s')}`,
    'function* gen(c) { yield* [c.services] }',
  ),
  'next value in': route(
    `const g = gen(); g.next(); g.next(ctx.services)`,
    `function* gen() { const s = yield 1; ${use('s')} }`,
  ),
  'iterator protocol': route(
    `const it = { [Symbol.iterator]() { return { next: () => ({ value: ctx.services, done: false }) } } }; for (const s of it) return ${use('s')}`,
  ),
  'spread iterator': route(
    `const it = { *[Symbol.iterator]() { yield ctx.services } }; const [s] = it; return ${use('s')}`,
  ),
  'toString trick': route(`const o = { toString() { ${use('ctx.services')}; return '' } }; return \`\${o}\``),
  valueOf: route(`return +{ valueOf: () => ${use('ctx.services')} }`),
  'then-able': route(`return await { then(r) { r(ctx.services) } }`),
  'awaited thenable': route(`const s = await { then(r) { r(ctx.services) } }; return ${use('s')}`),
  'class private': route(
    `const a = new A(); a.set(ctx.services); return a.go()`,
    `class A { #s; set(s) { this.#s = s } go() { return ${use('this.#s')} } }`,
  ),
  'class field closure': route(
    `return new A(ctx).go()`,
    `class A { constructor(c) { this.c = c } go = () => ${use('this.c.services')} }`,
  ),
  'function prop': route(`f.s = ctx.services; return ${use('f.s')}`, `function f() {}`),
  'fn prop arrow': route(`const g = () => 1; g.s = ctx; return ${use('g.s.services')}`),
  'catch err prop': route(
    `try { const e = new Error(); e.ctx = ctx; throw e } catch (e) { return ${use('e.ctx.services')} }`,
  ),
  'error cause': route(`const e = new Error('x', { cause: ctx }); return ${use('e.cause.services')}`),
  'dynamic import computed': {
    'src/index.ts': `${sdk}const n = './a' + '.ts'\nexport default defineModule({ routes: { 'GET /': async (ctx) => (await import(n)).default(ctx) } })`,
    'src/a.ts': `export default ({ services: s }) => ${use('s')}`,
  },
  'require style': {
    'src/index.ts': `${sdk}import a = require('./a.ts')\nexport default defineModule({ routes: { 'GET /': async (ctx) => a.all(ctx) } })`,
    'src/a.ts': `export const all = ({ services }) => ${use('services')}`,
  },
  'require call': {
    'src/index.ts': `${sdk}const a = require('./a.ts')\nexport default defineModule({ routes: { 'GET /': async (ctx) => a.all(ctx) } })`,
    'src/a.ts': `exports.all = ({ services: x }) => ${use('x')}`,
  },
  'cjs export': {
    'src/index.ts': `${sdk}import { all } from './a.js'\nexport default defineModule({ routes: { 'GET /': async (ctx) => all(ctx) } })`,
    'src/a.js': `module.exports.all = (c) => ${use('c.services')}`,
  },
  'export let mutated': {
    'src/index.ts': `${sdk}import * as b from './b.ts'\nexport default defineModule({ routes: { 'GET /': async (ctx) => { b.put(ctx.services); return ${use('b.held')} } } })`,
    'src/b.ts': `export let held\nexport const put = (s) => { held = s }`,
  },
  'namespace enum': route(`return N.go(ctx)`, `namespace N { export const go = (c) => ${use('c.services')} }`),
  'export default not define': {
    'src/index.ts': `import { defineModule as d } from '@partner/sdk'\nconst x = { routes: { 'GET /': async (c) => ${use('c.services')} } }\nexport default d(x)`,
  },
  'sdk namespace': {
    'src/index.ts': `import * as S from '@partner/sdk'\nexport default S.defineModule({ routes: { 'GET /': async (c) => ${use('c.services')} } })`,
  },
  'plain object export': {
    'src/index.ts': `export default { routes: { 'GET /': async (c) => ${use('c.services')} } }`,
  },
  'mutated routes later': {
    'src/index.ts': `${sdk}const routes = {}\nroutes['GET /'] = async (c) => ${use('c.services')}\nexport default defineModule({ routes })`,
  },
  'mutated routes computed': {
    'src/index.ts': `${sdk}const routes = {}\nfor (const n of ['GET /']) routes[n] = async (c) => ${use('c.services')}\nexport default defineModule({ routes })`,
  },
  'defineProperty routes': {
    'src/index.ts': `${sdk}const routes = {}\nObject.defineProperty(routes, 'GET /', { value: async (c) => ${use('c.services')}, enumerable: true })\nexport default defineModule({ routes })`,
  },
  'defineProperty getter': route(
    `const o = {}; Object.defineProperty(o, 's', { get: () => ctx.services }); return ${use('o.s')}`,
  ),
  'Reflect.apply': route(`return Reflect.apply(f, null, [ctx.services])`, `const f = (s) => ${use('s')}`),
  'Reflect.construct': route(
    `return Reflect.construct(F, [ctx.services])`,
    `class F { constructor(s) { ${use('s')} } }`,
  ),
  'Function.prototype.call': route(
    `return Function.prototype.call.call(f, null, ctx.services)`,
    `const f = (s) => ${use('s')}`,
  ),
  'Array.from length': route(`return Array.from({ length: 1, 0: ctx.services }).map((s) => ${use('s')})`),
  'array rest': route(`const [a, ...r] = [1, ctx.services]; return ${use('r[0]')}`),
  'param rest array destructure': route(`return f(1, ctx.services)`, `const f = (...[a, s]) => ${use('s')}`),
  'logical member assign': route(`const o = {}; o.s ||= ctx.services; return ${use('o.s')}`),
  'destruct assign to member': route(`const o = {}; ({ services: o.s } = ctx); return ${use('o.s')}`),
  'for head member': route(`const o = {}; for (o.s of [ctx.services]) ${use('o.s')}`),
  'for init expr': route(`let s; for (s = ctx.services; ; ) return ${use('s')}`),
  'new.target': route(
    `return new F(ctx)`,
    `class F { constructor(c) { return { s: c.services, x: ${use('c.services')} } } }`,
  ),
  'ctor returns other': route(
    `return ${use('new F(ctx).s')}`,
    `class F { constructor(c) { return { s: c.services } } }`,
  ),
  'super prop computed': route(
    `return new B().go(ctx)`,
    `class A { go(c) { return ${use('c.services')} } }\nclass B extends A { go(c) { return super['go'](c) } }`,
  ),
  'prototype plant': route(`return new A().go(ctx)`, `class A {}\nA.prototype.go = (c) => ${use('c.services')}`),
  mixin: route(
    `return new (mix(Object))().go(ctx)`,
    `const mix = (B) => class extends B { go(c) { return ${use('c.services')} } }`,
  ),
  'static block': route(`return A.go(ctx)`, `class A { static { this.go = (c) => ${use('c.services')} } }`),
  'JSON reviver': route(`return JSON.parse('{}', () => ${use('ctx.services')})`),
  'replace callback': route(`return 'a'.replace(/a/, () => ${use('ctx.services')})`),
  'tagged holder': route(`return tag\`\${ctx}\``, `const tag = (t, ...v) => ${use('v[0].services')}`),
  WeakRef: route(`return ${use('new WeakRef(ctx.services).deref()')}`),
  'getter in array': route(`const a = []; a.s = ctx.services; return ${use('a.s')}`),
  'Object.create proto': route(`const o = Object.create({ s: ctx.services }); return ${use('o.s')}`),
  setPrototypeOf: route(`const o = {}; Object.setPrototypeOf(o, { s: ctx.services }); return ${use('o.s')}`),
  structuredClone: route(`return ${use('structuredClone({ s: ctx.services }).s')}`),
  'string concat key': route(`return ctx['serv' + 'ices'].education.students.list({})`),
  'object key map': route(`const k = { a: 'services' }; return ${use('ctx[k.a]')}`),
  'log obj': route('ctx.log.info({ services: ctx.services })'),
  'settings stash': route(`ctx.settings.s = ctx.services; return ${use('ctx.settings.s')}`),
  'query stash': route(`ctx.query.s = ctx.services; return ${use('ctx.query.s')}`),
  'ctx stash': route(`ctx.x = ctx.services; return ${use('ctx.x')}`),
  'ctx overwrite': route(`ctx.query = ctx; return ${use('ctx.query.services')}`),
  'services stash': route(`ctx.services.x = { go: ctx.services }; return ${use('ctx.services.x.go')}`),
  'dep callback gets': route(
    `return lib((x) => { held = ctx }, () => ${use('held.services')})`,
    `import lib from 'lib'\nlet held`,
  ),
  'dep closure over op': route(`return lib((q) => ctx.services.education.students.list(q))`, `import lib from 'lib'`),
  'dep method call': route(`lib.configure({ ctx })`, `import lib from 'lib'`),
  'dep tagged': route('return lib`${ctx}`', `import lib from 'lib'`),
  'dep extends': route(
    `return new A(ctx)`,
    `import Lib from 'lib'\nclass A extends Lib { constructor(c) { super(c) } }`,
  ),
  'dep extends implicit': route(`return new A(ctx)`, `import Lib from 'lib'\nclass A extends Lib {}`),
  'dep extends method': route(
    `return new A().go(ctx)`,
    `import Lib from 'lib'\nclass A extends Lib { go(c) { return super.go(c) } }`,
  ),
  'dep extends stash': route(
    `const a = new A(); a.c = ctx; return a.run()`,
    `import Lib from 'lib'\nclass A extends Lib {}`,
  ),
  'dep inherited called': route(`return new A().run(ctx)`, `import Lib from 'lib'\nclass A extends Lib {}`),
  'dep schema transform': route(
    `return z.object({}).transform(() => ctx.services).parse({})`,
    `import { z } from 'zod'`,
  ),
  'dep iterable': route(`for (const f of lib) f(ctx)`, `import lib from 'lib'`),
  'dep array destructure': route(`const [f] = lib; f(ctx)`, `import lib from 'lib'`),
  'dep via reexport': {
    'src/index.ts': `${sdk}import { f } from './a.ts'\nexport default defineModule({ routes: { 'GET /': async (ctx) => f(ctx) } })`,
    'src/a.ts': `export { default as f } from 'lib'`,
  },
  'dep via export star': {
    'src/index.ts': `${sdk}import { f } from './a.ts'\nexport default defineModule({ routes: { 'GET /': async (ctx) => f(ctx) } })`,
    'src/a.ts': `export * from 'lib'`,
  },
  'dep handler spread': {
    'src/index.ts': `${sdk}import routes from 'lib'\nexport default defineModule({ routes: { ...routes } })`,
  },
  'dep handler nested': {
    'src/index.ts': `${sdk}import { h } from 'lib'\nexport default defineModule({ routes: { 'GET /': h } })`,
  },
  'global fn': route('return frob(ctx)'),
  'global plant': route(`Array.prototype.x = ctx.services; return ${use('[].x')}`),
  'Object.prototype': route(`Object.prototype.x = ctx.services; return ${use('({}).x')}`),
  'setTimeout args': route(`setTimeout((s) => ${use('s')}, 0, ctx.services)`),
  'returned function': route(`return () => ctx.services`),
  'returned getter': route(`return json({ get a() { return ctx.services } })`),
  'returned class': route(`return json(new A(ctx))`, `class A { constructor(c) { this.c = c } }`),
  'error thrown with': route(`throw Object.assign(new Error('x'), { ctx })`),
  'operation arg': route(`return ctx.services.education.students.list(ctx.services)`),
  'operation arg nested': route(`return ctx.services.education.students.list({ a: [ctx.db] })`),
  'sdk fn stash': {
    'src/index.ts': `import { defineModule, panel } from '@partner/sdk'\nexport default defineModule({ studentProfile: { a: panel({ title: 'x', render: (c) => { c.services.education.grades.list({}); return ${use('c.services')} } }) } })`,
  },
  'class expr name': route(
    `const C = class D { go(c) { return D.op(c) } static op(c) { return ${use('c.services')} } }; return new C().go(ctx)`,
  ),
  'computed member fn': route(`const t = { a: (c) => ${use('c.services')} }; return t[ctx.query.k](ctx)`),
  'computed class method': route(
    `return new A()[ctx.query.k](ctx)`,
    `class A { go(c) { return ${use('c.services')} } }`,
  ),
  'subclass of Array': route(`return ${use('new L(ctx.services)[0]')}`, 'class L extends Array {}'),
  'subclass of Map': route(
    `return ${use("new L(ctx.services).get('s')")}`,
    "class L extends Map { constructor(s) { super([['s', s]]) } }",
  ),
  'subclass of Promise': route(
    `return ${use('(await new L((done) => done(ctx.services)))')}`,
    'class L extends Promise {}',
  ),
  'a list method of tomorrow': route('return [ctx.services.education.students].each((s) => s.list({}))'),
  'Map iterator by its symbol': route(
    `const m = new Map([[1, ctx.services]]); return ${use('m[Symbol.iterator]().next().value[1]')}`,
  ),
  'computed Map method': route(`return ${use('new Map([[1, ctx.services]])[ctx.query.get](1)')}`),
  'this of a Map callback': route(`new Map([[1, 1]]).forEach(function () { ${use('this')} }, ctx.services)`),
  'valueOf a list': route(`return ${use('[ctx.services].valueOf()[0]')}`),
  'proto read': route(`const o = { __proto__: { s: ctx.services } }; return ${use('o.__proto__.s')}`),
  'bound twice': route(
    `return f.bind(null, 1).bind(null, ctx.services)(2)`,
    `function f(a, s, b) { return ${use('s')} }`,
  ),
  'bound away': route(`return lib(f.bind(null, ctx.services))`, "import lib from 'lib'\nconst f = (s) => s"),
  'computed method name': route(
    `return new A().go(ctx)`,
    `const k = ['g','o'].join('')\nclass A { [k](c) { return ${use('c.services')} } }`,
  ),
}

for (const [name, files] of Object.entries(attacks)) {
  test(`neither use nor escape is hidden by: ${name}`, () => {
    const analysis = followModule(files)
    assert.ok(usedScopes(analysis).includes(read) || rulesFound(analysis).length > 0)
  })
}

test('values that are led in circles come to an end: lists of themselves, classes that extend themselves', () => {
  checkTangles(150, 3)
  const mixin = 'let Base = class { list({ services }) { return services.education.students.list({}) } }'
  const module = route('return new Base().list(ctx)', `${mixin}\nBase = class extends Base { own = 1 }`)
  assert.deepEqual(usedScopes(followModule(module)), ['education.students.read'])
})
