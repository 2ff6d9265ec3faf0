// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, rulesFound, served, usedScopes } from '../support/flow.ts'

const students = 'education.students.read'
const grades = 'education.grades.read'

/** Shapes in which authors write modules, none of which has `services.<feature>` at the place of use: what they need, no more. */
const shapes: Record<string, readonly [Record<string, string>, readonly string[]]> = {
  'private fields and methods': [
    served(
      '(ctx) => new Repo(ctx.services.education.students).all()',
      `class Repo { #s; static #count = 0; constructor(s) { this.#s = s; Repo.#count++ } #load() { return this.#s.list({}) } async all() { return this.#load() } }`,
    ),
    [students],
  ],
  'private static method': [
    served(
      '(ctx) => Repo.all(ctx)',
      `class Repo { static #load(s) { return s.list({}) } static all(ctx) { return Repo.#load(ctx.services.education.students) } }`,
    ),
    [students],
  ],
  'accessor get/set private': [
    served(
      '(ctx) => { const r = new Repo(); r.part = ctx.services.education.students; return r.part.list({}) }',
      `class Repo { #s; get part() { return this.#s } set part(s) { this.#s = s } }`,
    ),
    [students],
  ],
  'default parameter from other parameter': [
    served(
      '(ctx) => all(ctx)',
      `const all = (ctx, part = ctx.services.education.students, run = () => part.list({})) => run()`,
    ),
    [students],
  ],
  'destructure rename nested default': [
    served(
      '({ services: { education: { students: pupils, grades: levels = pupils } } }) => [pupils.list({}), levels.list({})]',
    ),
    [students, grades],
  ],
  'spread of parts': [
    served(
      '(ctx) => { const parts = { ...base(ctx), grades: ctx.services.education.grades }; return [parts.students.list({}), parts.grades.list({})] }',
      `const base = ({ services }) => ({ students: services.education.students })`,
    ),
    [students, grades],
  ],
  'currying exact': [
    served(
      '(ctx) => using(ctx.services)((s) => s.education.students)({})',
      `const using = (services) => (pick) => (query) => pick(services).list(query)`,
    ),
    [students],
  ],
  'bind partial': [
    served(
      '(ctx) => load.bind(null, ctx.services.education.students)({ page: 1 })',
      `function load(part, query) { return part.list(query) }`,
    ),
    [students],
  ],
  'bind this': [
    served(
      '(ctx) => load.bind(ctx.services.education.students)({ page: 1 })',
      `function load(query) { return this.list(query) }`,
    ),
    [students],
  ],
  'bound method of class': [
    served(
      '(ctx) => { const r = new R(ctx.services.education.students); const run = r.go.bind(r); return run() }',
      `class R { constructor(s) { this.s = s } go() { return this.s.list({}) } }`,
    ),
    [students],
  ],
  'bound in constructor': [
    served(
      '(ctx) => { const { go } = new R(ctx.services.education.students); return go() }',
      `class R { constructor(s) { this.s = s; this.go = this.go.bind(this) } go() { return this.s.list({}) } }`,
    ),
    [students],
  ],
  'apply with list': [
    served(
      '(ctx) => load.apply(undefined, [{}, ctx.services.education.students])',
      `function load(query, part) { return part.list(query) }`,
    ),
    [students],
  ],
  'call with this': [
    served(
      '(ctx) => load.call({ s: ctx.services.education.students }, {})',
      `function load(query) { return this.s.list(query) }`,
    ),
    [students],
  ],
  'lazy getter': [
    served(
      '(ctx) => box(ctx).part.list({})',
      `const box = (ctx) => ({ get part() { return ctx.services.education.students } })`,
    ),
    [students],
  ],
  'generator pipeline': [
    served(
      '(ctx) => [...take(parts(ctx), 1)].map((s) => s.list({}))',
      `function* parts({ services }) { yield services.education.students; yield services.education.grades }\nfunction* take(source, n) { for (const one of source) { if (n-- <= 0) return; yield one } }`,
    ),
    [students, grades],
  ],
  'class generator method': [
    served(
      '(ctx) => { for (const s of new P(ctx).parts()) s.list({}) }',
      `class P { constructor(c) { this.c = c } *parts() { yield this.c.services.education.students } async *later() { yield* this.parts() } }`,
    ),
    [students],
  ],
  'switch table': [
    served(
      '(ctx) => pick(ctx).list({})',
      `function pick({ services: { education }, query }) { switch (query.what) { case 'students': return education.students; case 'grades': { const g = education.grades; return g } default: throw new Error('x') } }`,
    ),
    [students, grades],
  ],
  satisfies: [
    served(
      '(ctx) => table[ctx.query.k](ctx)',
      `const table = { list: (c) => c.services.education.students.list({}), get: (c) => c.services.education.grades.list({}) } satisfies Record<string, unknown>`,
    ),
    [students, grades],
  ],
  'as const table': [
    served(
      '(ctx) => { for (const [key, run] of Object.entries(table)) if (key === ctx.query.k) return run(ctx) }',
      `const table = { list: (c) => c.services.education.students.list({}) } as const`,
    ),
    [students],
  ],
  'enum key': [
    served(
      '(ctx) => table[Kind.Pupils](ctx)',
      `enum Kind { Pupils = 'pupils', Levels = 'levels' }\nconst table = { [Kind.Pupils]: (c) => c.services.education.students.list({}), [Kind.Levels]: (c) => c.services.education.grades.list({}) }`,
    ),
    [students, grades],
  ],
  namespace: [
    served(
      '(ctx) => Pupils.all(ctx)',
      `namespace Pupils { export const all = ({ services }) => services.education.students.list({}) }`,
    ),
    [students],
  ],
  'nested namespace': [
    served(
      '(ctx) => A.B.all(ctx.services.education.students)',
      `namespace A { export namespace B { export function all(s) { return s.list({}) } } }`,
    ),
    [students],
  ],
  'optional chain call': [
    served(
      'async (ctx) => (await part?.(ctx))?.list?.({})',
      `const part = (ctx) => ctx?.services?.education?.["students"]`,
    ),
    [students],
  ],
  'labelled loops': [
    served(
      '(ctx) => { outer: for (const p of [ctx.services.education.students]) { inner: while (true) { if (ctx.query.x) continue outer; p.list({}); break inner } } }',
    ),
    [students],
  ],
  'object method shorthand this': [
    served('(ctx) => ({ s: ctx.services.education.students, all() { return this.s.list({}) } }).all()'),
    [students],
  ],
  'Object.create methods': [
    served(
      '(ctx) => { const r = Object.create(proto); r.s = ctx.services.education.students; return r.all() }',
      `const proto = { all() { return this.s.list({}) } }`,
    ),
    [students],
  ],
  'own property asked for': [
    served(
      '(ctx) => { const parts = { a: ctx.services.education.students }; if (parts.hasOwnProperty(ctx.query.k)) return parts[ctx.query.k].list({}) }',
    ),
    [students],
  ],
  'concurrency pool': [
    served(
      'async (ctx) => { const out = await pool([1, 2, 3], 2, (id) => ctx.services.education.students.get({ id })); return out.map((s) => s.full_name) }',
      `async function pool(items, size, run) { const out = []; const queue = [...items.entries()]; const worker = async () => { for (let next; (next = queue.shift()); ) { const [i, item] = next; out[i] = await run(item) } }; await Promise.all(Array.from({ length: size }, worker)); return out }`,
    ),
    [students],
  ],
  'sort by computed score': [
    served(
      'async (ctx) => { const { data } = await ctx.services.education.students.list({}); const scored = data.map((s) => ({ id: s.id, score: s.full_name.length })); return scored.sort((a, b) => b.score - a.score || a.id.localeCompare(b.id)).slice(0, 3) }',
    ),
    [students],
  ],
  zip: [
    served(
      'async (ctx) => { const { data } = await ctx.services.education.students.list({}); const marks = [1, 2]; const zipped = data.map((s, i) => [s, marks[i] ?? 0] as const); return zipped.filter(([, m]) => m > 1).map(([s, m]) => ({ name: s.full_name, m: m * 2 })) }',
    ),
    [students],
  ],
  'reduce to pair': [
    served(
      'async (ctx) => { const { data } = await ctx.services.education.students.list({}); const [id, n] = data.reduce(([best, most], s) => s.full_name.length > most ? [s.id, s.full_name.length] : [best, most], ["", 0]); return n > 3 ? id : null }',
    ),
    [students],
  ],
  'tuple return': [
    served(
      'async (ctx) => { const [id, n] = await first(ctx); return n > 3 ? id : 0 }',
      `const first = async ({ services }) => { const { data } = await services.education.students.list({}); return [data[0].id, data.length] }`,
    ),
    [students],
  ],
  'using declaration': [
    served(
      'async (ctx) => { await using r = open(ctx); return r.s.list({}) }',
      `const open = (ctx) => ({ s: ctx.services.education.students, async [Symbol.asyncDispose]() {} })`,
    ),
    [students],
  ],
  'toSorted and Object.groupBy of promise': [
    served(
      'async (ctx) => Object.entries(Object.groupBy((await ctx.services.education.students.list({})).data, ({ gender }) => gender)).map(([g, rows]) => [g, rows.length]).toSorted((a, b) => b[1] - a[1])',
    ),
    [students],
  ],
  'setTimeout promise race': [
    served(
      'async (ctx) => { const page = await Promise.race([ctx.services.education.students.list({}), new Promise((_, no) => setTimeout(() => no(new Error("late")), 5))]); return page.data.map((s) => s.full_name) }',
    ),
    [students],
  ],
}

for (const [name, [files, scopes]] of Object.entries(shapes)) {
  test(`exactly the scopes a module needs: ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [scopes.toSorted(), []])
  })
}
