// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound, usedScopes } from '../support/flow.ts'

const read = 'education.students.read'
const sdk = "import { defineModule } from '@partner/sdk'\n"

/** Idioms of honest modules: exactly the scope they use, and nothing to complain about. */
const idioms: Record<string, Record<string, string>> = {
  'a list mapped into itself': route(
    `let rows = [await ctx.services.education.students.list({})]\nfor (const more of [1, 2]) rows = rows.map((row) => ({ row, more })).flatMap((row) => [row])\nreturn json(rows)`,
  ),
  'entries made into an object again and again': route(
    `let o = { a: await ctx.services.education.students.list({}) }\nfor (let i = 0; i < 3; i++) o = Object.fromEntries(Object.entries(o).map(([k, v]) => [k, [v]]))\nreturn json(Object.values(o))`,
  ),
  'arguments handed on': route(
    `return again(3, await ctx.services.education.students.list({}))`,
    `function again(count, ...rest) { return count === 0 ? rest : again(count - 1, ...rest, [rest]) }`,
  ),
  'a chain of something global': route(
    `let at = globalThis.first\nwhile (at?.next) at = at.next\nreturn json([at?.id, await ctx.services.education.students.list({})])`,
  ),
  'params destructured deep': route(
    `return f(ctx)`,
    `async function f({ services: { education: { students } }, query: { page = 1 } = {} }) { return students.list({ page: Number(page) }) }`,
  ),
  'default param': route(
    `return f(ctx.services)`,
    `const f = (s, page = 1, o = { per: 2 }) => s.education.students.list({ page, ...o })`,
  ),
  'class handler': {
    'src/index.ts': `${sdk}class Pupils { list = async (ctx) => this.all(ctx); async all({ services }) { return services.education.students.list({}) } }\nconst p = new Pupils()\nexport default defineModule({ routes: { 'GET /': p.list, 'GET /b': (ctx) => p.all(ctx) } })`,
  },
  'static class handler': {
    'src/index.ts': `${sdk}class P { static async list({ services }) { return services.education.students.list({}) } }\nexport default defineModule({ routes: { 'GET /': P.list } })`,
  },
  'async iteration': route(
    `for await (const page of pages(ctx.services)) ctx.log.info(page.data.length)`,
    `async function* pages(s) { let n = 1; while (true) { const page = await s.education.students.list({ page: n++ }); yield page; if (n > page.last_page) return } }`,
  ),
  generics: route(
    `return first<Student>(await ctx.services.education.students.list({}))`,
    `type Student = { id: string }\nfunction first<T>(page: { data: T[] }): T | undefined { return page.data[0] }`,
  ),
  zod: route(
    `const q = schema.parse(ctx.query); return ctx.services.education.students.list({ page: q.page })`,
    `import { z } from 'zod'\nconst schema = z.object({ page: z.coerce.number().default(1) })`,
  ),
  'zod safeParse': route(
    `const q = schema.safeParse(ctx.body); if (!q.success) return json({ e: q.error.issues }); return ctx.services.education.students.get({ id: q.data.id })`,
    `import { z } from 'zod'\nconst schema = z.object({ id: z.string().length(26) })`,
  ),
  'zod of answer': route(
    `return schema.parse(await ctx.services.education.students.list({}))`,
    `import { z } from 'zod'\nconst schema = z.object({})`,
  ),
  'lodash over rows': route(
    `const { data } = await ctx.services.education.students.list({}); return json(groupBy(data, (s) => s.grade_id))`,
    `import { groupBy } from 'lodash-es'`,
  ),
  'date-fns': route(
    `const { data } = await ctx.services.education.students.list({}); return json(data.map((s) => format(s.birth_date, 'yyyy')))`,
    `import { format } from 'date-fns'`,
  ),
  'html helper': route(
    `const { data } = await ctx.services.education.students.list({}); return page('x', data.map(row))`,
    `const row = (s) => html\`<li>\${s.full_name}</li>\`\nconst page = (t, b) => html\`<h1>\${t}</h1>\${b}\``,
  ),
  'try catch finally': route(
    `try { return await ctx.services.education.students.list({}) } catch (error) { ctx.log.error({ message: error.message }); throw error } finally { ctx.log.info('done') }`,
  ),
  'catch rethrow new': route(
    `try { return await ctx.services.education.students.list({}) } catch (error) { throw new Error('x', { cause: error }) }`,
  ),
  'Promise.all tuple': route(
    `const [a, b] = await Promise.all([ctx.services.education.students.list({}), ctx.db.rows(sql\`select 1\`)]); return json({ a: a.data.map((s) => s.full_name), b })`,
  ),
  'Promise.allSettled': route(
    `const r = await Promise.allSettled([1].map((id) => ctx.services.education.students.get({ id }))); return json(r.filter((x) => x.status === 'fulfilled').map((x) => x.value.full_name))`,
  ),
  'Map of names': route(
    `const { data } = await ctx.services.education.students.list({}); const names = new Map(data.map((s) => [s.id, s])); return json([...names.values()].map((s) => s.full_name), names.get(ctx.query.id)?.full_name)`,
  ),
  'Set of ids': route(
    `const { data } = await ctx.services.education.students.list({}); const ids = new Set(data.map((s) => s.id)); return json([...ids].filter((id) => ids.has(id)).length > 3)`,
  ),
  'ids over map': route(
    `const ids = ['a']; const all = await Promise.all(ids.map(async (id) => { const s = await ctx.services.education.students.get({ id }); return { ...s, label: s.full_name.toUpperCase() } })); return json(all)`,
  ),
  'repository class': route(
    `return new Repo(ctx.services, ctx.db).all()`,
    `class Repo { readonly #s; readonly #db; constructor(s, db) { this.#s = s; this.#db = db } async all() { const r = await this.#db.rows(sql\`select 1\`); const { data } = await this.#s.education.students.list({}); return json({ r, data }) } }`,
  ),
  factory: route(
    `const repo = makeRepo(ctx); return repo.all()`,
    `const makeRepo = ({ services, db }) => ({ all: () => services.education.students.list({}), count: () => db.row(sql\`select 1\`) })`,
  ),
  'middleware list': {
    'src/index.ts': `${sdk}const mw = [(next) => async (ctx) => next(ctx), (next) => (ctx) => next({ ...ctx, at: 1 })]\nconst h = async ({ services }) => services.education.students.list({})\nexport default defineModule({ routes: { 'GET /': mw.reduceRight((next, m) => m(next), h) } })`,
  },
  'retry helper': route(
    `return retry(() => ctx.services.education.students.list({}))`,
    `async function retry(run, times = 3) { for (let i = 0; i < times; i++) { try { return await run() } catch (e) { if (i === times - 1) throw e } } }`,
  ),
  'memo in call': route(
    `const once = memo(() => ctx.services.education.students.list({})); return (await once()).data`,
    `const memo = (run) => { let v; return () => (v ??= run()) }`,
  ),
  barrel: {
    'src/index.ts': `${sdk}import { all, type Q } from './lib/index.ts'\nexport default defineModule({ routes: { 'GET /': (ctx) => all(ctx.services) } })`,
    'src/lib/index.ts': `export { all } from './a.ts'\nexport type { Q } from './a.ts'\nexport * as more from './b.ts'`,
    'src/lib/a.ts': `export type Q = 1\nexport const all = (s) => s.education.students.list({})`,
    'src/lib/b.ts': 'export const x = 1',
  },
  'assert narrowing': route(
    `const { data } = await ctx.services.education.students.list({}); const s = data.find((x) => x.id === ctx.params.id); if (!s) return json({}, { status: 404 }); return html\`\${s.full_name}\``,
  ),
  'sort names': route(
    `const { data } = await ctx.services.education.students.list({}); data.sort((a, b) => a.full_name.localeCompare(b.full_name)); return json(data)`,
  ),
  'sort by date': route(
    `const { data } = await ctx.services.education.students.list({}); data.sort((a, b) => Date.parse(a.birth_date) - Date.parse(b.birth_date)); return json(data)`,
  ),
  'compare dates': route(
    `const { data } = await ctx.services.education.students.list({}); return json(data.filter((s) => s.birth_date < '2015-01-01'))`,
  ),
  count: route(
    `const { data, total } = await ctx.services.education.students.list({}); return json({ n: Number(total), pages: Math.ceil(data.length / 20) })`,
  ),
  'Object.fromEntries': route(
    `const { data } = await ctx.services.education.students.list({}); return json(Object.fromEntries(data.map((s) => [s.id, s.full_name])))`,
  ),
  'reduce groups': route(
    `const { data } = await ctx.services.education.students.list({}); return json(data.reduce((g, s) => { (g[s.grade_id] ??= []).push(s); return g }, {}))`,
  ),
  'reduce count': route(
    `const { data } = await ctx.services.education.students.list({}); return json(data.reduce((n, s) => n + (s.gender === 'f' ? 1 : 0), 0) > 3)`,
  ),
  'log fields': route(
    `ctx.log.info({ user: ctx.viewer?.id }, 'opened'); return ctx.services.education.students.list({})`,
  ),
  settings: route(
    `const size = Number(ctx.settings.page_size ?? 20); return ctx.services.education.students.list({ per_page: size })`,
  ),
  'url params': route(
    `const q = new URLSearchParams(ctx.query); return ctx.services.education.students.list({ page: Number(q.get('page')) })`,
  ),
  intl: route(
    `const { data } = await ctx.services.education.students.list({}); const f = new Intl.DateTimeFormat(ctx.locale); return json(data.map((s) => f.format(new Date(s.birth_date))))`,
  ),
  'ternary ctx fn': route(
    `const run = ctx.query.a ? one : two; return run(ctx)`,
    `const one = ({ services }) => services.education.students.list({})\nconst two = ({ services }) => services.education.students.get({ id: 'x' })`,
  ),
  'transaction with services': route(
    `return ctx.db.transaction(async (tx) => { const s = await ctx.services.education.students.get({ id: 'x' }); await save(tx, s) })`,
    `const save = (db, s) => db.execute(sql\`insert into t values (\${s.id}, \${s.full_name})\`)`,
  ),
  'events sub': {
    'src/index.ts': `${sdk}export default defineModule({ events: { 'student.created': async ({ services, event }) => services.education.students.get({ id: event.payload.student_id }) } })`,
  },
  enum: route(`return ctx.services.education.students.list({ gender: G.f })`, `enum G { f = 'f', m = 'm' }`),
  'map lookup of functions': route(
    `const actions = { list, get }; const run = actions[ctx.query.do === 'get' ? 'get' : 'list']; return run(ctx)`,
    `const list = ({ services }) => services.education.students.list({})\nconst get = ({ services }) => services.education.students.get({ id: 'x' })`,
  ),
  'typed ctx': {
    'src/index.ts': `import { defineModule, type Context, type Services } from '@partner/sdk'\ntype Deps = Pick<Context, 'services' | 'db'>\nconst all = async ({ services }: Deps): Promise<unknown> => services.education.students.list({})\nexport default defineModule({ routes: { 'GET /': async (ctx: Context) => all({ services: ctx.services, db: ctx.db }) } })`,
  },
  'console.log of name': route(
    `const s = await ctx.services.education.students.get({ id: 'x' }); console.log(s.full_name)`,
  ),
  'Error with id': route(
    `const s = await ctx.services.education.students.get({ id: 'x' }); if (!s.grade_id) throw new Error(\`no grade \${s.id}\`); return json(s)`,
  ),
  abort: route(
    `const c = new AbortController(); setTimeout(() => c.abort(), 10); return ctx.services.education.students.list({})`,
  ),
  'do while pages': route(
    `let page = 1, last = 1; do { const r = await ctx.services.education.students.list({ page }); last = r.last_page } while (page++ < last)`,
  ),
}

for (const [name, files] of Object.entries(idioms)) {
  test(`no false alarm: ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [[read], []])
  })
}
