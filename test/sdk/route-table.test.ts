import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRoute, routeTable } from '../../partner-services/sdk/guest/route-table.ts'

const handler = () => null
const routes = routeTable({
  'GET /': handler,
  'GET /loans/:id': handler,
  'GET /loans/new': handler,
  'POST /loans': handler,
  'GET /loans/:id/books/:bookId': handler,
})
const find = (method: string, path: string) => {
  const found = findRoute(routes, method, path)
  return found && [found.route.path, found.params]
}

test('a fixed part is preferred to a named one, whatever the order of writing', () => {
  assert.deepEqual(find('GET', '/loans/new'), ['/loans/new', {}])
  assert.deepEqual(find('GET', '/loans/7'), ['/loans/:id', { id: '7' }])
})

test('named parts are as the host decoded them: a percent sign in one is a percent sign', () => {
  assert.deepEqual(find('GET', '/loans/a%20b/books/ك'), ['/loans/:id/books/:bookId', { id: 'a%20b', bookId: 'ك' }])
  assert.deepEqual(find('GET', '/loans/50%'), ['/loans/:id', { id: '50%' }])
})

test('slashes at the end make no difference, methods do', () => {
  assert.deepEqual(find('GET', ''), ['/', {}])
  assert.deepEqual(find('POST', '/loans/'), ['/loans', {}])
  assert.deepEqual(find('HEAD', '/'), ['/', {}])
  assert.equal(find('DELETE', '/loans'), null)
})

test('routes have names that a manifest can refer to', () => {
  const names = routes.map(({ name }) => name).sort()
  assert.deepEqual(names, ['index', 'loans.id', 'loans.id.books.bookid', 'loans.new', 'loans.post'])
})

test('a key that is no route is refused when the module loads', () => {
  assert.throws(() => routeTable({ 'FETCH /a': handler } as never), /"FETCH \/a" is no route/)
  // The host passes on what forms send, and no other method: such a route would answer nobody.
  for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD'])
    assert.throws(() => routeTable({ [`${method} /a`]: handler } as never), / is no route: write "GET .* "POST \/path"/)
  assert.throws(() => routeTable({ 'GET /a': 'handler' } as never), /has no handler/)
  for (const path of ['/a/{id}', '/a/[id]', '/a/*', '/a/:id?', '/%D9%83'])
    assert.throws(() => routeTable({ [`GET ${path}`]: handler }), /is no route: a part that changes is written :name/)
})
