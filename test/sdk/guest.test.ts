import { jsonOf } from '../isolates/json-of.ts'
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { bundleModule } from '../../host/bundling/bundle.ts'
import type { GuestAnswer } from '../../host/isolates/client/types.ts'
import { moduleFolder, moduleWith } from '../bundling/module-folder.ts'
import { requestOf, startSandbox } from '../isolates/support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

type Serve = (path: string, args: string) => Promise<string>

let modules = 0

/** Bundles a module and answers with a caller of its entries, in a real isolate. */
async function load(context: TestContext, index: string, serve: Serve = async () => 'null') {
  const bundle = await bundleModule(moduleFolder(context, { 'src/index.ts': index }))
  const name = `guest ${modules++}`
  return (entry: string, input: unknown): Promise<GuestAnswer> => {
    const request = { loadBundle: async () => bundle, entry, input: JSON.stringify(input), serve }
    return sandbox.client.call(requestOf(name, bundle.code, request))
  }
}

const textOf = (answer: GuestAnswer): string => {
  assert.ok(answer.ok, JSON.stringify(answer))
  return JSON.parse(jsonOf(answer)) as string
}
const get = (path: string) => ({ method: 'GET', path, query: {}, body: {}, headers: {}, viewer: null, locale: 'ar' })

const refuse = (fields: object): never => {
  throw Object.assign(new Error('refused'), fields)
}

test('each kind of answer is one text whose first character says what it is', async (context) => {
  const call = await load(
    context,
    moduleWith(`
      'GET /page': ({ locale }) => html\`<p>\${locale}</p>\`,
      'GET /json': () => json({ a: 1 }, 201),
      'GET /plain': () => [1, null],
      'GET /nothing': () => undefined,
      'GET /away': () => redirect('/page?x=1'),
      'GET /absent': () => notFound(),
      'GET /item/:id': ({ params }) => params`),
  )
  const answers: [string, string][] = [
    ['/page', 'h200\n<p>ar</p>'],
    ['/json', 'j201\n{"a":1}'],
    ['/plain', 'j200\n[1,null]'],
    ['/nothing', 'j200\nnull'],
    ['/away', 'r/page?x=1'],
    ['/absent', 'n'],
    ['/unknown', 'n'],
    ['/item/ك', 'j200\n{"id":"ك"}'],
  ]
  for (const [path, expected] of answers) assert.equal(textOf(await call('route', get(path))), expected, path)
  assert.equal(textOf(await call('nonsense', {})), 'n')
})

test('of a field that came more than once a handler has the last value, and every value by name', async (context) => {
  const call = await load(
    context,
    moduleWith(`
      'GET /': ({ request, query }) => [query.day, request.valuesOf('day'), request.valuesOf('one'), request.valuesOf('constructor')],
      'POST /': ({ request }) => [request.valuesOf('day'), request.valuesOf('one')]`),
  )
  const query = { day: '2', one: '1' }
  const repeated = { day: ['1', '2'] }
  assert.equal(textOf(await call('route', { ...get('/'), query, repeated })), 'j200\n["2",["1","2"],["1"],[]]')
  const posted = { ...get('/'), method: 'POST', query, body: { day: '4' }, repeated: { day: ['3', '4'] } }
  assert.equal(textOf(await call('route', posted)), 'j200\n[["3","4"],[]]')
})

test('arguments that JSON would lose are refused before the host is asked, by the place where they stand', async (context) => {
  const asked: string[] = []
  const call = await load(
    context,
    moduleWith(`
      'GET /lost': async ({ services, notify }) => {
        const told = []
        const tell = (error) => told.push(error.name + ' ' + error.message)
        await services.education.grades.update({ id: 'a', level: Number('1o') }).catch(tell)
        await services.education.grades.update({ id: 'a', names: new Map() }).catch(tell)
        await notify('late', { days: [1, Infinity] }, []).catch(tell)
        const cycle = {}
        cycle.own = cycle
        await services.education.grades.update(cycle).catch((error) => told.push(error.name))
        return told
      },
      'GET /kept': ({ services }) => services.education.grades.update({ id: 'a', level: undefined, at: new Date(0) })`),
    async (path, args) => {
      asked.push(`${path} ${args}`)
      return '1'
    },
  )
  const told = JSON.parse(textOf(await call('route', get('/lost'))).slice('j200\n'.length))
  assert.deepEqual(told, [
    'TypeError services.education.grades.update: argument.level is NaN, which JSON cannot carry',
    'TypeError services.education.grades.update: argument.names is a Map, which JSON cannot carry',
    'TypeError notify: argument.variables.days[1] is Infinity, which JSON cannot carry',
    'TypeError',
  ])
  assert.equal(textOf(await call('route', get('/kept'))), 'j200\n1')
  assert.deepEqual(asked, ['services.education.grades.update {"id":"a","at":"1970-01-01T00:00:00.000Z"}'])
})

test('an answer that JSON would lose is an error that names its place; what JSON leaves out or writes itself is kept', async (context) => {
  const call = await load(
    context,
    moduleWith(`
      'GET /promise': () => ({ a: Promise.resolve(1) }),
      'GET /list': () => json({ scores: [1, NaN] }, 201),
      'GET /map': () => new Map(),
      'GET /big': () => ({ count: 1n }),
      'GET /method': () => ({ save() {} }),
      'GET /function': () => () => 1,
      'GET /rows': () => ['a'].map((name) => html\`<li>\${name}\`),
      'GET /names': () => ({ names: new Map().values() }),
      'GET /error': () => ({ error: new Error('x') }),
      'GET /own': () => ({ s: new (class extends Map { toJSON() { return Object.fromEntries(this) } })([['a', 1]]) }),
      'GET /kept': () => ({ a: undefined, b: [undefined], at: new Date(0), own: { toJSON: () => 'own' } })`),
  )
  const told: [string, string][] = [
    ['/promise', 'the answer.a is a Promise, which JSON cannot carry'],
    ['/list', 'the answer.scores[1] is NaN, which JSON cannot carry'],
    ['/map', 'the answer is a Map, which JSON cannot carry'],
    ['/big', 'the answer.count is a bigint, which JSON cannot carry'],
    ['/method', 'the answer.save is a function, which JSON cannot carry'],
    ['/function', 'the answer is a function, which JSON cannot carry'],
    ['/rows', 'the answer[0] is a Html, which JSON cannot carry'],
    ['/names', 'the answer.names is an iterator, which JSON cannot carry'],
    ['/error', 'the answer.error is an Error, which JSON cannot carry'],
  ]
  for (const [path, message] of told) {
    const answer = await call('route', get(path))
    assert.deepEqual(!answer.ok && [answer.error.name, answer.error.message], ['TypeError', message], path)
  }
  const kept = '{"b":[null],"at":"1970-01-01T00:00:00.000Z","own":"own"}'
  assert.equal(textOf(await call('route', get('/kept'))), `j200\n${kept}`)
  assert.equal(textOf(await call('route', get('/own'))), 'j200\n{"s":{"a":1}}')
})

test('a cycle, a function and a foreign redirect are errors, and the next call works', async (context) => {
  const call = await load(
    context,
    moduleWith(`
      'GET /cycle': () => { const a = {}; a.a = a; return a },
      'GET /function': () => () => 1,
      'GET /away': ({ query }) => redirect(query.to),
      'GET /fine': () => 1`),
  )
  for (const path of ['/cycle', '/function']) {
    const answer = await call('route', get(path))
    assert.equal(!answer.ok && answer.error.kind, 'threw', path)
  }
  for (const to of ['https://example.com', '//example.com', '/\\example.com', '/../other', 'loans', '/a b']) {
    const answer = await call('route', { ...get('/away'), query: { to } })
    assert.equal(!answer.ok && answer.error.name, 'TypeError', to)
  }
  const spaced = await call('route', { ...get('/away'), query: { to: '/?q=محمد علي' } })
  assert.match(spaced.ok ? '' : spaced.error.message, /encodeURIComponent/)
  const dots = await call('route', { ...get('/away'), query: { to: '/page?q=a/../b' } })
  assert.match(textOf(dots), /\/page\?q=a\/\.\.\/b/)
  assert.equal(textOf(await call('route', get('/fine'))), 'j200\n1')
})

test("an error shows the partner's own file and line, and nothing of the host", async (context) => {
  const call = await load(
    context,
    moduleWith(`
      'GET /': async ({ services }) => {
        await services.education.students.get({ id: 'x' })
      }`),
    async () => refuse({ code: 'not_found', status: 404 }),
  )
  const answer = await call('route', get('/'))
  assert.ok(!answer.ok)
  assert.deepEqual([answer.error.name, answer.error.code, answer.error.status], ['NotFoundException', 'not_found', 404])
  assert.match(answer.error.stack ?? '', /at GET \/ .*\(src\/index\.ts:5:\d+\)/)
  assert.doesNotMatch(answer.error.stack ?? '', /host\/|bootstrap|partner:bundle/)
})

test('refusals are classes of the SDK with their fields', async (context) => {
  const index = `import { DatabaseException, defineModule, InvalidInputException, MissingScopeException, NotFoundException,
      ServiceException, sql } from '@partner/sdk'
    const known = { MissingScopeException, NotFoundException, InvalidInputException, DatabaseException, ServiceException }
    export default defineModule({ routes: { 'GET /': async ({ services, db, query }) => {
      try {
        if (query.what === 'database') await db.rows(sql\`select 1\`)
        else await services.education.students.list({ search: query.what })
      } catch (error) {
        const kind = Object.entries(known).find(([, type]) => error instanceof type)?.[0]
        return { kind, code: error.code, status: error.status, scope: error.scope, errors: error.errors }
      }
    } } })`
  const refusals: Record<string, object> = {
    scope: { code: 'scope_not_granted', status: 403, scope: 'education.students.read' },
    absent: { code: 'not_found', status: 404 },
    invalid: { code: 'invalid_data', status: 422, errors: { page: ['too small'] } },
    database: { code: 'unique_violation', status: 409 },
    other: { code: 'invalid_state', status: 409 },
  }
  const call = await load(context, index, async (path, args) =>
    refuse(refusals[path.startsWith('db.') ? 'database' : JSON.parse(args).search]!),
  )
  const kinds: Record<string, string> = {
    scope: 'MissingScopeException',
    absent: 'NotFoundException',
    invalid: 'InvalidInputException',
    database: 'DatabaseException',
    other: 'ServiceException',
  }
  for (const [what, fields] of Object.entries(refusals)) {
    const text = textOf(await call('route', { ...get('/'), query: { what } }))
    assert.deepEqual(JSON.parse(text.slice(5)), { kind: kinds[what], ...fields }, what)
  }
})

test('a transaction is one function on one connection: kept when it returns, rolled back when it throws', async (context) => {
  const seen: string[] = []
  const call = await load(
    context,
    moduleWith(`
      'GET /:end': ({ db, params }) => db.transaction(async (tx) => {
        await tx.execute(sql\`update a set b = \${1}\`)
        if (params.end === 'throw') throw new Error('stop')
        return (await tx.row(sql\`select 1\`)).n
      })`),
    async (path, args) => {
      seen.push(`${path} ${args}`)
      return { 'db.begin': '{"tx":7}', 'db.execute': '1', 'db.rows': '[{"n":5},{"n":6}]' }[path] ?? 'null'
    },
  )
  assert.equal(textOf(await call('route', get('/return'))), 'j200\n5')
  assert.deepEqual(seen.splice(0), [
    'db.begin {}',
    'db.execute {"text":"update a set b = $1","values":[1],"tx":7}',
    'db.rows {"text":"select 1","values":[],"tx":7}',
    'db.commit {"tx":7}',
  ])
  const answer = await call('route', get('/throw'))
  assert.equal(!answer.ok && answer.error.message, 'stop')
  assert.equal(seen.at(-1), 'db.rollback {"tx":7}')
})

test('what a module declares by code is described as JSON', async (context) => {
  const index = `import { action, defineModule, html, LandingWidget, panel, stat, tool } from '@partner/sdk'
    class Enquiry extends LandingWidget { render = () => html\`<p>hi</p>\`; actions = { submit: ({ input }) => ({ got: input.a }) } }
    const label = { ar: 'أ', en: 'A' }
    export default defineModule({
      routes: { 'GET /loans/:id': () => 1 },
      studentProfile: {
        late: stat({ label, permission: 'library.loans.read', value: ({ studentHashid }) => studentHashid }),
        books: panel({ title: label, permission: 'library.loans.read', order: 4, render: () => html\`<b>\${'<'}</b>\` }),
        remind: action({ label, permission: 'library.loans.write', event: 'remind', run: () => undefined }),
      },
      widgets: { enquiry: Enquiry },
      tools: [tool({ name: 'library.loans.list', description: 'd', parameters: { type: 'object' }, handler: ({ input }) => input })],
      events: { 'education.students.created': ({ event, log }) => log.info(event.data.student.id) },
    })`
  const call = await load(context, index)
  const described = JSON.parse(textOf(await call('describe', {})))
  assert.deepEqual(described.routes, [{ method: 'GET', path: '/loans/:id', name: 'loans.id' }])
  assert.deepEqual(
    described.studentProfile.map(({ key, kind, order }: Record<string, unknown>) => [key, kind, order]),
    [
      ['late', 'stat', 100],
      ['books', 'panel', 4],
      ['remind', 'action', 100],
    ],
  )
  assert.deepEqual(described.widgets, [{ key: 'enquiry', actions: ['submit'] }])
  assert.deepEqual(described.tools[0].requiredScopes, [])
  assert.deepEqual(described.events, ['education.students.created'])
  assert.equal(described.paymentProvider, false)

  const entries: [string, object, string][] = [
    ['profile', { key: 'late', studentHashid: 'h1' }, 'j200\n{"value":"h1"}'],
    ['profile', { key: 'books', studentHashid: 'h1' }, 'h200\n<b>&lt;</b>'],
    ['profile', { key: 'remind', studentHashid: 'h1' }, 'j200\n{"ok":true}'],
    ['profile', { key: 'constructor', studentHashid: 'h1' }, 'n'],
    ['widget', { key: 'enquiry' }, 'h200\n<p>hi</p>'],
    ['action', { key: 'enquiry', action: 'submit', input: { a: '1' } }, 'j200\n{"got":"1"}'],
    ['action', { key: 'enquiry', action: 'toString', input: {} }, 'n'],
    ['tool', { name: 'library.loans.list', input: { a: 1 } }, 'j200\n{"a":1}'],
    ['tool', { name: 'other', input: {} }, 'n'],
    ['event', { name: 'education.students.created', data: { student: { id: 'S' } } }, 'j200\n{"ok":true}'],
    ['event', { name: 'education.students.updated', data: {} }, 'n'],
    ['payment', { operation: 'charge' }, 'n'],
  ]
  for (const [entry, input, expected] of entries) assert.equal(textOf(await call(entry, input)), expected, entry)
})

test('a default export that defineModule did not make is refused while the module loads', async (context) => {
  const call = await load(context, 'export default { routes: {} }\n')
  const answer = await call('describe', {})
  assert.ok(!answer.ok)
  assert.equal(answer.error.kind, 'load_failed')
  assert.match(answer.error.message, /export default defineModule/)
})

test('ids made in a guest are ULIDs, all different', async (context) => {
  const call = await load(
    context,
    moduleWith("'GET /': () => Array.from({ length: 1000 }, newId)", "import { newId } from '@partner/sdk'"),
  )
  const ids = JSON.parse(textOf(await call('route', get('/'))).slice(5)) as string[]
  assert.equal(new Set(ids).size, 1_000)
  for (const id of ids) assert.match(id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
})

test('services as a value has a text of its own and calls nothing of the host', async (context) => {
  const paths: string[] = []
  const index = moduleWith(`
    'GET /text': ({ services }) => [\`\${services}\`, String(services.education.students), services + '', JSON.stringify([services])],
    'GET /json': ({ services }) => json({ services }),
    'GET /later': async ({ services }) => typeof (await services)`)
  const call = await load(context, index, async (path) => {
    paths.push(path)
    return 'null'
  })
  const texts = ['services', 'services.education.students', 'services', '[null]']
  assert.equal(textOf(await call('route', get('/text'))), `j200\n${JSON.stringify(texts)}`)
  await call('route', get('/json'))
  assert.equal(textOf(await call('route', get('/later'))), 'j200\n"function"')
  assert.deepEqual(paths, [])
})
