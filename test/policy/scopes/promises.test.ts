import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound, usedScopes } from '../support/flow.ts'

const grades = 'education.grades.read'
const students = 'education.students.read'
const sdk = "import { defineModule } from '@partner/sdk'\n"
/** `part` answers with a promise of the students' operations, without the word `services` at the place of use. */
const promising = (body: string) => route(body, 'const part = async (ctx) => ctx.services.education.students')

/** Services that somebody is promised, or that a generator yields: what uses them needs their scopes, and is no error. */
const followed: Record<string, readonly [Record<string, string>, (readonly string[])?]> = {
  'then of a promise made of services': [
    route('return Promise.resolve(ctx.services).then((s) => s.education.students.list({}))'),
  ],
  'then of an async function': [promising('return part(ctx).then((pupils) => pupils.list({}))')],
  'then of a promised object': [
    route(
      'return make(ctx).then(({ pupils }) => pupils.list({}))',
      'const make = async (ctx) => ({ pupils: ctx.services.education.students })',
    ),
  ],
  'a chain of then': [
    promising('return part(ctx).then((s) => ({ s })).then((o) => o.s.list({})).then((page) => page.data.length)'),
  ],
  'then of nothing': [
    route(
      'const s = await sleep().then(() => ctx.services.education.students); return s.list({})',
      'const sleep = () => new Promise((resolve) => setTimeout(resolve, 10))',
    ),
  ],
  'both callbacks of then': [
    promising('return part(ctx).then((s) => s, () => ctx.services.education.grades).then((s) => s.list({}))'),
    [grades, students],
  ],
  'then without its first callback': [
    promising('const s = await part(ctx).then(undefined, () => null); return s.list({})'),
  ],
  'catch, which passes on what did not fail': [
    promising('const s = await part(ctx).catch(() => ctx.services.education.grades); return s.list({})'),
    [grades, students],
  ],
  finally: [promising("const s = await part(ctx).finally(() => ctx.log.info('x')); return s.list({})")],
  'Promise.race': [promising('const s = await Promise.race([part(ctx), 1]); return s.list({})')],
  'Promise.any': [promising('const s = await Promise.any([1, part(ctx)]); return s.list({})')],
  'Promise.all and then': [promising('return Promise.all([part(ctx), 1]).then(([s, page]) => s.list({ page }))')],
  'Promise.allSettled in a pattern': [
    promising(
      "const [, r] = await Promise.allSettled([1, part(ctx)]); if (r.status === 'fulfilled') return r.value.list({})",
    ),
  ],
  'Promise.allSettled, filtered and mapped': [
    promising(
      "const all = await Promise.allSettled([part(ctx)]); return all.filter((r) => r.status === 'fulfilled').map((r) => r.value.list({}))",
    ),
  ],
  'Promise.allSettled of what map made': [
    promising(
      'const all = await Promise.allSettled([1, 2].map(() => part(ctx))); return all.map((r) => r.value?.list({}))',
    ),
  ],
  'Promise.try': [promising('const s = await Promise.try(() => part(ctx)); return s.list({})')],
  'new Promise': [
    route('const s = await new Promise((resolve) => resolve(ctx.services)); return s.education.students.list({})'),
  ],
  'new Promise, resolved later': [
    route(
      'const s = await new Promise((done) => setTimeout(() => done(ctx.services.education.students), 10)); return s.list({})',
    ),
  ],
  'Promise.withResolvers': [
    route(
      'const { promise, resolve } = Promise.withResolvers(); resolve(ctx.services.education.students); return (await promise).list({})',
    ),
  ],
  'for await over promises': [promising('for await (const s of [part(ctx)]) await s.list({})')],
  'Array.fromAsync': [promising('const all = await Array.fromAsync([part(ctx)]); return all[0].list({})')],
  'an async generator': [
    route(
      'for await (const s of parts(ctx)) await s.list({})',
      'async function* parts({ services }) { yield services.education.students; yield* [services.education.grades] }',
    ),
    [grades, students],
  ],
  'a generator, spread': [
    route(
      'return [...parts(ctx)].map((s) => s.list({}))',
      'function* parts({ services }) { yield services.education.students }',
    ),
  ],
  'the steps of a generator': [
    route(
      'const { value } = parts(ctx).next(); return value.list({})',
      'function* parts({ services }) { yield services.education.students }',
    ),
  ],
  'what a delegate returns': [
    route(
      'for (const s of outer(ctx)) await s.list({})',
      'function* inner({ services }) { return services.education.students }\nfunction* outer(ctx) { const s = yield* inner(ctx); yield s }',
    ),
  ],
  'a file imported when it is needed': [
    {
      'src/index.ts': `${sdk}export default defineModule({ routes: { 'GET /': (ctx) => import('./a.ts').then((m) => m.all(ctx)), 'GET /b': (ctx) => import('./a.ts').then(({ part }) => part(ctx.services).list({})) } })`,
      'src/a.ts':
        'export const all = ({ services }) => services.education.students.list({})\nexport const part = (s) => s.education.grades',
    },
    [grades, students],
  ],
  'a promise of another file': [
    {
      'src/index.ts': `${sdk}import { part } from './a.ts'\nexport default defineModule({ routes: { 'GET /': (ctx) => part(ctx).then((s) => s.list({})) } })`,
      'src/a.ts': 'export const part = (ctx) => new Promise((resolve) => resolve(ctx.services.education.students))',
    },
  ],
  'operations one after another': [
    route(
      'return ctx.services.education.students.get({ id: ctx.params.id }).then((student) => ctx.services.education.grades.get({ id: student.grade_id })).catch(() => null)',
    ),
    [grades, students],
  ],
}

for (const [name, [files, scopes = [students]]] of Object.entries(followed)) {
  test(`a promised service is followed through ${name}`, () => {
    const analysis = followModule(files)
    assert.deepEqual([usedScopes(analysis), rulesFound(analysis)], [scopes, []])
  })
}

/** Where nobody can tell who gets it, it is an error. */
const refused: Record<string, Record<string, string>> = {
  "a dependency's `then`": route('return lib.then(() => ctx.services)', "import lib from 'lib'"),
  'what a promise fails with': route('return new Promise((_, reject) => reject(ctx.services))'),
  'what is given to a generator': route(
    'const g = each(); return g.next(ctx.services)',
    'function* each() { const s = yield 1; return s.list({}) }',
  ),
  'a generator ended with services': route('return each().return(ctx.services)', 'function* each() { yield 1 }'),
  'a generator a handler returns': route('return (function* () { yield ctx.services })()'),
}

for (const [name, files] of Object.entries(refused)) {
  test(`${name} is an error`, () => assert.ok(rulesFound(followModule(files)).includes('context-escape')))
}

test('an identifier that somebody is promised is no number', () => {
  const get = "ctx.services.education.students.get({ id: 'x' })"
  for (const body of [
    `return ${get}.then((student) => +student.id)`,
    `const [r] = await Promise.allSettled([${get}]); return +r.value.id`,
  ])
    assert.deepEqual(rulesFound(followModule(route(body))), ['ulid-cast-to-int'])
  const caught = route(`return ${get}.catch((error) => Number(error.id))`)
  assert.deepEqual(rulesFound(followModule(caught)), [])
})
