import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound, served, usedScopes } from '../support/flow.ts'

const grades = 'education.grades.read'
const students = 'education.students.read'
const both = [grades, students]
const list = '({ services }) => services.education.students.list({})'
/** Functions and services that wait in a Map, a Set or a list until somebody takes them out. */
const followed: Record<string, readonly [Record<string, string>, readonly string[]]> = {
  'a Map of handlers': [
    served('async (ctx) => handlers.get(ctx.query.p)?.(ctx)', `const handlers = new Map([['/x', ${list}]])`),
    [students],
  ],
  'a Map that is filled later': [
    served(
      'async (ctx) => { const run = handlers.get(ctx.query.p); return run?.(ctx.services) }',
      "const handlers = new Map()\nhandlers.set('/x', (s) => s.education.students.list({})).set('/y', (s) => s.education.grades.list({}))",
    ),
    both,
  ],
  'a Map that several files fill': [
    served(
      'async (ctx) => handlers.get(ctx.query.p)(ctx.services)',
      "import { handlers } from './h.ts'\nimport './more.ts'",
      {
        'src/h.ts':
          "export const handlers = new Map<string, (s: unknown) => unknown>([['a', (s) => s.education.students.list({})]])",
        'src/more.ts': "import { handlers } from './h.ts'\nhandlers.set('b', (s) => s.education.grades.list({}))",
      },
    ),
    both,
  ],
  'a Map made of an object': [
    served("async (ctx) => table.get('a')(ctx)", `const a = ${list}\nconst table = new Map(Object.entries({ a }))`),
    [students],
  ],
  'the values, entries and elements of a Map': [
    route(
      "const m = new Map([['a', ctx.services.education.students]]); for (const s of m.values()) await s.list({}); for (const [, s] of m) await s.list({}); return [...m.entries()].map(([, s]) => s.list({}))",
    ),
    [students],
  ],
  'forEach of a Map': [
    route("const m = new Map([['a', ctx.services.education.students]]); m.forEach((s, key) => s.list({ key }))"),
    [students],
  ],
  'a Map whose keys are services': [
    route('const m = new Map(); m.set(ctx.services.education.students, 1); for (const s of m.keys()) await s.list({})'),
    [students],
  ],
  'a Set of functions': [
    served(
      'async (ctx) => { for (const run of all) run(ctx.services) }',
      'const all = new Set()\nall.add((s) => s.education.students.list({})).add((s) => s.education.grades.list({}))',
    ),
    both,
  ],
  'groups of a list': [
    route(
      "const o = Object.groupBy([ctx.services.education.students], () => 'a'); const m = Map.groupBy([ctx.services.education.grades], () => 'a'); return [o.a[0].list({}), m.get('a')[0].list({})]",
    ),
    both,
  ],
  'a handler that is found': [
    served(
      'async (ctx) => handlers.find((h) => h.path === ctx.query.p)?.run(ctx)',
      `const handlers = [{ path: '/a', run: ${list} }, { path: '/b', run: (c) => c.services.education.grades.list({}) }]`,
    ),
    both,
  ],
  'a pair that is found in another file': [
    served(
      'async (ctx) => { const found = handlers.find(([p]) => p === ctx.query.p); if (!found) return; const [, run] = found; return run(ctx) }',
      "import { handlers } from './h.ts'",
      { 'src/h.ts': `export const handlers = [['/a', ${list}]] as const` },
    ),
    [students],
  ],
  'a reducer of another file': [
    served(
      'async (ctx) => run(ctx)',
      "import { compose } from './compose.ts'\nimport { list } from './list.ts'\nconst log = (next) => async (ctx) => next(ctx)\nconst run = compose([log, log])(list)",
      {
        'src/compose.ts':
          'export const compose = (all) => (handler) => all.reduceRight((next, one) => one(next), handler)',
        'src/list.ts': `export const list = ${list}`,
      },
    ),
    [students],
  ],
  'a reducer without a beginning': [
    route('const s = [ctx.services.education.students].reduce((one, other) => one ?? other); return s.list({})'),
    [students],
  ],
  'elements that change places': [
    route('const all = [1, ctx.services.education.students]; all.reverse(); return all[0].list({})'),
    [students],
  ],
  'what is put in by with and fill': [
    route(
      'const all = new Array(2).fill(ctx.services.education.students); return all.with(0, ctx.services.education.grades)[0].list({})',
    ),
    both,
  ],
  'lists in lists': [
    route(
      'const all = [[[ctx.services.education.students]], [[ctx.services.education.grades]]]; for (const s of all.flat(2)) await s.list({}); return all.flatMap((x) => x).flat()[0].list({})',
    ),
    both,
  ],
  'the list a callback is given': [
    route('return [ctx.services.education.students].map((_, index, all) => all[index].list({}))'),
    [students],
  ],
  'Array.from with a callback': [
    route('const made = Array.from({ length: 2 }, () => ctx.services.education.students); return made[1].list({})'),
    [students],
  ],
  'Object.keys beside the use': [
    route(
      'const parts = { a: ctx.services.education.students }; return Object.keys(parts).map((key) => parts[key].list({}))',
    ),
    [students],
  ],
}

for (const [name, [files, scopes]] of Object.entries(followed)) {
  test(`what a collection holds is followed: ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [scopes, []])
  })
}

test('a handler among thousands of a table is found, and the scan of the table takes no longer than that of its text', () => {
  const entry = (index: number) => `['k${index}', { title: 'T${index}', run: handler${index % 9} }]`
  const handler = (index: number) =>
    `const handler${index} = (s) => s.education.${index === 7 ? 'grades' : 'students'}.list({ n: table.get('k${index}')?.title })`
  const handlers = Array.from({ length: 9 }, (_, index) => handler(index)).join('\n')
  const table = `const table = new Map([${Array.from({ length: 5000 }, (_, index) => entry(index)).join(',\n')}])`
  const reads = Array.from({ length: 100 }, () => 'table.get(ctx.query.k)?.run(ctx.services)').join(', ')
  const module = served(`(ctx) => [${reads}]`, `${handlers}\n${table}`)
  const started = process.cpuUsage()
  assert.deepEqual(usedScopes(followModule(module)), both)
  const { user } = process.cpuUsage(started)
  assert.ok(user < 10_000_000, `${user} µs of processor time`)
})

test('services in a collection that outlives the call are an error', () => {
  for (const [body, more] of [
    ["kept.set('s', ctx.services)", 'const kept = new Map()'],
    ["kept.set(ctx, 's')", 'const kept = new Map()'],
    ['kept.add(ctx.services)', 'const kept = new Set()'],
    ['kept.push(ctx.services)', 'const kept = []'],
    ['kept.concat(1, ctx.db)', 'const kept = Array.of(1)'],
  ] as const)
    assert.deepEqual(rulesFound(followModule(route(body, more))), ['context-stored'], body)
})

test('services in a list of the platform, in a borrowed method or in JSON with a function are an error', () => {
  const data = 'const { data } = await ctx.services.education.grades.list({})\n'
  for (const body of [
    `${data}data.push({ s: ctx.services }); return 1`,
    'return [].map.call([ctx.services.education.students], (s) => s.list({}))',
    'return JSON.stringify({ s: ctx.services }, (_, s) => s)',
  ])
    assert.deepEqual(rulesFound(followModule(route(body))), ['context-escape'], body)
})
