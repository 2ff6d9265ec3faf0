// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import fc from 'fast-check'

export const names = ['a', 'b', 'c', 'd']

/** What an author may write into one file of a module whose files all know each other. */
const lines = [
  'export const plain = 1',
  'export const list = ({ services }) => services.education.students.list({})',
  'export const leak = (ctx) => globalThis.away(ctx)',
  'export const pass = (ctx) => other(ctx.services)',
  'export const other = (services) => services.education.grades.get({ id: 1 })',
  'export const keep = {}; export const store = (ctx) => { keep.db = ctx.db }',
  'export const shared = { run: (ctx) => unknownThing(ctx.db) }',
  'export const text = (ctx) => `<b>${ctx.query.name}</b>`',
  'process.env.SECRET',
  "import * as far from './FILE.ts'; export const through = (ctx) => far.list?.(ctx)",
  "import { other as helper, shared as both } from './FILE.ts'; export const use = (ctx) => [helper(ctx.services), both.run(ctx), give(both)]",
  "export * from './FILE.ts'",
  "import missing from './nowhere.ts'; export const lost = (ctx) => missing(ctx)",
  "import { x } from './hidden/test/FILE.ts'; export const y = (ctx) => x(ctx.services)",
  "import type { Ulid } from '@partner/sdk'; export type T = { id: Ulid }",
  "import type { T } from './FILE.ts'; export const num = (t: T) => +t.id",
  'export class Base { run(ctx) { return ctx.services.education.students.list({}) } static make = (ctx) => globalThis.away(ctx.db) }',
  "import { Base as Up } from './FILE.ts'; export class Sub extends Up { go(ctx) { return this.run(ctx) } } export const made = (ctx) => new Sub().go(ctx)",
  'export const many = (...all) => all.map((one) => one?.services?.education.grades.list({}))',
  "import { many as wide } from './FILE.ts'; export const fan = (ctx) => wide(1, ctx, ...[ctx])",
  "import { shared as part } from './FILE.ts'; export const merged = { ...part, more: (ctx) => ctx.fetch('https://example.com') }",
  "import { other as lent } from './FILE.ts'; export const borrowed = (ctx) => [lent.call(null, ctx.services), lent.bind(null, ctx)()]",
  "import { LandingWidget } from '@partner/sdk'; export class Tile extends LandingWidget { render(ctx) { return ctx.services.education.students.list({}) } }",
  "import { Tile as Above } from './FILE.ts'; export class Tile2 extends Above {} export default Tile2",
  "import { keep as theirs } from './FILE.ts'; const list = []; export const gather = (ctx) => { list.push(theirs, ctx); theirs.mine = list; return list.at(-1).db }",
  "export const table = new Map([['a', ({ services }) => services.education.students.list({})]])",
  "import { table as shelf } from './FILE.ts'; export const taken = (ctx) => { shelf.set('b', (c) => c.services.education.grades.list({})); return shelf.get('a')?.(ctx) }",
  "import { list as later } from './FILE.ts'; export const after = (ctx) => Promise.resolve(ctx).then(later).finally(() => 1)",
  'export function* each(ctx) { yield ctx.services; yield* [ctx.db] }',
  "import { each as steps } from './FILE.ts'; export const walk = (ctx) => { for (const one of steps(ctx)) one.education?.grades.list({}); return steps(ctx).next().value }",
  "import { other as held, pass as given2 } from './FILE.ts'; export const fixed = given2.bind(null, { services: 1 }); export const bound = (ctx) => [held.bind(null, ctx.services)(), fixed(ctx)]",
  'export namespace Part { export let kept; export const run = (ctx) => ctx.services.education.students.list({}) }',
  "import { Part as Other } from './FILE.ts'; export const inner = (ctx) => { Other.kept = ctx.query; return Other.run?.(ctx) }",
  'const = broken',
]

/** One file written anew. */
export const edit = fc.record({
  file: fc.constantFrom(...names),
  lines: fc.array(fc.record({ line: fc.constantFrom(...lines), target: fc.constantFrom(...names) }), { maxLength: 4 }),
})

const called = [
  'list',
  'pass',
  'use',
  'lost',
  'fan',
  'made',
  'borrowed',
  'gather',
  'taken',
  'after',
  'walk',
  'bound',
  'inner',
]
const routes = names.map((name) => {
  const calls = called.map((exported) => `${name}.${exported}?.(ctx)`).join(', ')
  return `'GET /${name}': (ctx) => [${calls}], '${name}': ${name}.leak, '${name} merged': ${name}.merged`
})
/** A module that hands what its files export to the platform. */
export const entry = `import { defineModule } from '@partner/sdk'
${names.map((name) => `import * as ${name} from './${name}.ts'`).join('\n')}
export default defineModule({ routes: { ${routes.join(', ')} }, widgets: { a: a.Tile, b: b.default } })
`

export function textOf({
  lines,
}: {
  readonly lines: readonly { readonly line: string; readonly target: string }[]
}): string {
  return `${lines.map(({ line, target }) => line.replaceAll('FILE', target)).join('\n')}\n`
}
