import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAudiences } from '../../host/pages/audience.ts'
import type { Viewer } from '../../partner-services/service/caller.ts'

const contributions = { routes: [{ method: 'GET', name: 'marks', path: '/marks/:id' }] }
const audienceOf = (...account_types: object[]) => createAudiences()({ manifest: { account_types }, contributions })
const paths = ['/', '/marks/7', '/mobile', '/mobile/home.html', '/mobiles']

function covered(audience: ReturnType<typeof audienceOf>, viewer: Partial<Viewer>): string[] {
  return paths.filter((path) => audience.covers({ roles: [], ...viewer } as unknown as Viewer, path))
}

test('an audience with a mobile entry alone opens the mobile screens to its people and no page of the web', () => {
  const audience = audienceOf({ portal: 'guardian', mobile_entry: 'mobile/home.html' })
  assert.deepEqual(covered(audience, { type: 'guardian' }), ['/mobile', '/mobile/home.html'])
  assert.deepEqual(covered(audience, { type: 'student' }), [])
})

test('an audience with both surfaces opens both, one with a route that route alone', () => {
  const teachers = { roles: ['teacher'], web_route: 'marks' }
  const both = audienceOf({ ...teachers, mobile_entry: 'mobile/home.html' })
  assert.deepEqual(covered(both, { type: 'employee', roles: ['teacher'] }), [
    '/marks/7',
    '/mobile',
    '/mobile/home.html',
  ])
  assert.deepEqual(covered(audienceOf(teachers), { type: 'employee', roles: ['teacher'] }), ['/marks/7'])
})

test('an audience whose route the module does not have opens nothing; the slug may stand before the name', () => {
  const at = (web_route: string) =>
    createAudiences()({
      manifest: { moduleId: 'books', account_types: [{ roles: ['teacher'], web_route }] },
      contributions: {
        routes: [
          ...contributions.routes,
          { method: 'GET', name: 'index', path: '/' },
          { method: 'GET', name: 'books.id', path: '/books/:id' },
        ],
      },
    })
  const teacher: Partial<Viewer> = { type: 'employee', roles: ['teacher'] }
  for (const route of ['mark', 'library.marks', 'books.mark']) assert.deepEqual(covered(at(route), teacher), [], route)
  for (const route of ['marks', 'books.marks']) assert.deepEqual(covered(at(route), teacher), ['/marks/7'], route)
  for (const route of ['index', 'books.index']) assert.deepEqual(covered(at(route), teacher), paths, route)
  assert.deepEqual(covered(at('books.id'), teacher), [], 'a route of that very name comes first')
})

test('a route is covered as it is matched, whatever slashes it was written with', () => {
  for (const path of ['/marks/', '//marks', '/marks//:id/']) {
    const audience = createAudiences()({
      manifest: { account_types: [{ roles: ['teacher'], web_route: 'marks' }] },
      contributions: { routes: [{ method: 'GET', name: 'marks', path }] },
    })
    assert.deepEqual(covered(audience, { type: 'employee', roles: ['teacher'] }), ['/marks/7'], path)
    assert.ok(audience.covers({ type: 'employee', roles: ['teacher'] } as unknown as Viewer, '/marks'), path)
  }
})

test('a card of the launcher opens the page that is its reader’s own, and there is none where no page would open', () => {
  const routes = (...keys: string[]) =>
    keys.map((key) => {
      const [method, path] = key.split(' ') as [string, string]
      return { method, path, name: path.split('/').filter(Boolean).join('.') || 'index' }
    })
  const own = [
    { roles: ['teacher'], web_route: 'index' },
    { portal: 'student', web_route: 'mine' },
    { portal: 'guardian', mobile_entry: 'mobile/home.html' },
  ]
  const [teacher, student, guardian] = [
    { type: 'employee', roles: ['teacher'] },
    { type: 'student', roles: [] },
    { type: 'guardian', roles: [] },
  ] as unknown as Viewer[]
  const entries = (account_types: object[], ...keys: string[]) => {
    const audience = createAudiences()({ manifest: { account_types }, contributions: { routes: routes(...keys) } })
    return [teacher!, student!, guardian!, null].map((viewer) => audience.entry(viewer))
  }
  assert.deepEqual(entries(own, 'GET /', 'GET /mine'), ['/', '/mine', null, null])
  assert.deepEqual(entries(own, 'POST /', 'GET /mine/:id'), [null, null, null, null])
  assert.deepEqual(entries([], 'GET /', 'POST /notes'), ['/', '/', '/', '/'])
  assert.deepEqual(entries([], 'POST /', 'GET /:id', 'GET /mobile', 'GET /../x', 'GET /list/'), Array(4).fill('/list'))
  assert.deepEqual(entries([]), [null, null, null, null])
})
