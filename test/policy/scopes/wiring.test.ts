// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, rulesFound, served, usedScopes } from '../support/flow.ts'

const students = 'education.students.read'
const grades = 'education.grades.read'
const writing = 'education.students.write'
const sdk = "import { defineModule } from '@partner/sdk'\n"
/** Ways in which the parts of a module come to know each other: what it needs, no more. */
const wirings: Record<string, readonly [Record<string, string>, readonly string[]]> = {
  're-export chain default as name': [
    served('(ctx) => pupils.all(ctx)', `import { pupils } from './lib/index.ts'`, {
      'src/lib/index.ts': `export { default as pupils } from './a.ts'`,
      'src/lib/a.ts': `import * as impl from './b.ts'\nexport default impl`,
      'src/lib/b.ts': `export * from './c.ts'`,
      'src/lib/c.ts': `export async function all({ services }) { return services.education.students.list({}) }`,
    }),
    [students],
  ],
  're-export star as ns': [
    served('(ctx) => lib.pupils.all(ctx)', `import * as lib from './lib/index.ts'`, {
      'src/lib/index.ts': `export * as pupils from './a.ts'`,
      'src/lib/a.ts': `const all = ({ services }) => services.education.students.list({})\nexport { all }`,
    }),
    [students],
  ],
  'helper factory': [
    served(
      '(ctx) => reader((s) => s.education.students)(ctx)',
      `const reader = (pick) => async ({ services }) => { const { data } = await pick(services).list({}); return data.length }`,
    ),
    [students],
  ],
  'handler factory crud': [
    {
      'src/index.ts': `${sdk}const crud = (name, pick) => ({ [\`GET /\${name}\`]: (ctx) => pick(ctx.services).list({}), [\`POST /\${name}\`]: (ctx) => pick(ctx.services).create(ctx.body) })\nexport default defineModule({ routes: { ...crud('students', (s) => s.education.students) } })`,
    },
    [students, writing],
  ],
  'container of services and db': [
    served(
      '(ctx) => container(ctx).resolve("pupils").all()',
      `function container(ctx) { const made = {}; const makers = { db: () => ctx.db, pupils: (c) => new Pupils(ctx.services.education.students, c.resolve('db')) }; const self = { resolve(key) { return (made[key] ??= makers[key](self)) } }; return self }\nclass Pupils { constructor(s, db) { this.s = s; this.db = db } all() { return this.s.list({}) } }`,
    ),
    [students],
  ],
  'container register': [
    served(
      '(ctx) => { const c = new Container(); c.register("part", () => ctx.services.education.students); return c.get("part").list({}) }',
      `class Container { #makers = new Map(); register(key, make) { this.#makers.set(key, make); return this } get(key) { const make = this.#makers.get(key); if (!make) throw new Error(key); return make() } }`,
    ),
    [students],
  ],
  'container of other file': [
    served(
      '(ctx) => { const c = new Container(); c.register("part", ctx.services.education.students); return c.get("part").list({}) }',
      `import { Container } from './c.ts'`,
      {
        'src/c.ts': `export class Container { readonly #made = new Map<string, unknown>(); register(key, value) { this.#made.set(key, value); return this } get(key) { return this.#made.get(key) } }`,
      },
    ),
    [students],
  ],
  'event emitter by hand': [
    served(
      '(ctx) => { const bus = makeBus(); bus.on("a", (s) => s.list({})); return bus.emit("a", ctx.services.education.students) }',
      `const makeBus = () => { const all = {}; return { on(name, run) { (all[name] ??= []).push(run) }, emit(name, ...args) { return (all[name] ?? []).map((run) => run(...args)) } } }`,
    ),
    [students],
  ],
  'result type': [
    served(
      'async (ctx) => { const r = await attempt(() => ctx.services.education.students.list({})); if (!r.ok) return r.error; return r.value.data.map((s) => s.full_name) }',
      `const attempt = async (run) => { try { return { ok: true, value: await run() } } catch (error) { return { ok: false, error } } }`,
    ),
    [students],
  ],
  mixin: [
    served(
      '(ctx) => new (Timed(Base))(ctx.services.education.students).all()',
      `class Base { constructor(s) { this.s = s } all() { return this.s.list({}) } }\nconst Timed = (B) => class extends B { all() { return super.all() } }`,
    ),
    [students],
  ],
  'abstract template method': [
    served(
      '(ctx) => new Pupils(ctx).run()',
      `abstract class Report { constructor(protected ctx) {} abstract part(); run() { return this.part().list({}) } }\nclass Pupils extends Report { part() { return this.ctx.services.education.students } }`,
    ),
    [students],
  ],
  'visitor table': [
    served(
      '(ctx) => visit({ kind: "a" }, { a: () => ctx.services.education.students, b: () => ctx.services.education.grades }).list({})',
      `const visit = (node, table) => table[node.kind](node)`,
    ),
    [students, grades],
  ],
  'deps object': [
    served(
      '(ctx) => all({ students: ctx.services.education.students, db: ctx.db })',
      `const all = async ({ students, db }) => { const rows = await db.rows(sql\`select 1\`); return [rows, await students.list({})] }\nimport { sql } from '@partner/sdk'`,
    ),
    [students],
  ],
  'handlers of class instance with arrow': [
    {
      'src/index.ts': `${sdk}class C { prefix = 'x'; list = async ({ services }) => services.education.students.list({}); routes() { return { 'GET /': this.list, 'GET /b': (ctx) => this.list(ctx) } } }\nexport default defineModule({ routes: new C().routes() })`,
    },
    [students],
  ],
  'router builder': [
    {
      'src/index.ts': `${sdk}import { Router } from './router.ts'\nconst router = new Router().get('/', ({ services }) => services.education.students.list({})).post('/', (ctx) => ctx.services.education.students.create(ctx.body))\nexport default defineModule({ routes: router.build() })`,
      'src/router.ts': `export class Router { #routes = {}; get(path, run) { this.#routes[\`GET \${path}\`] = run; return this } post(path, run) { this.#routes[\`POST \${path}\`] = run; return this } build() { return this.#routes } }`,
    },
    [students, writing],
  ],
  'router builder with Map': [
    {
      'src/index.ts': `${sdk}import { Router } from './router.ts'\nconst router = new Router().get('/', ({ services }) => services.education.students.list({}))\nexport default defineModule({ routes: router.build() })`,
      'src/router.ts': `export class Router { #routes = new Map(); get(path, run) { this.#routes.set(\`GET \${path}\`, run); return this } build() { return Object.fromEntries(this.#routes) } }`,
    },
    [students],
  ],
  'middleware chain runner': [
    served(
      '(ctx) => chain([auth, list])(ctx)',
      `const chain = (all) => (ctx) => { const go = (i) => all[i]?.(ctx, () => go(i + 1)); return go(0) }\nconst auth = (ctx, next) => ctx.viewer ? next() : null\nconst list = ({ services }) => services.education.students.list({})`,
    ),
    [students],
  ],
  'tool table': [
    {
      'src/index.ts': `import { defineModule, tool } from '@partner/sdk'\nconst tools = [{ name: 'a', run: ({ services }) => services.education.students.list({}) }].map(({ name, run }) => tool({ name: 'clubs.' + name + '.list', description: 'x', parameters: {}, handler: run }))\nexport default defineModule({ tools })`,
    },
    [students],
  ],
}

for (const [name, [files, scopes]] of Object.entries(wirings)) {
  test(`exactly the scopes a module needs, put together by ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [scopes.toSorted(), []])
  })
}
