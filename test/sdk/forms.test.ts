import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenFields } from '../../partner-services/sdk/testing/forms.ts'

const page = `<form method="get" action="/search"><input type="hidden" name="no" value="1"></form>
<form class="form" action="/m/library/books" method="post"><input type="hidden" name="_token" value="a&amp;b">
  <input name="title" value="x"></form>
<form method="post" action="/m/library/loans"><input value="2" name="book_id" type="hidden"></form>`

test('a form is found by its action, with its hidden fields as served', () => {
  assert.deepEqual(hiddenFields(page), { action: '/m/library/books', fields: { _token: 'a&b' } })
  assert.deepEqual(hiddenFields(page, '/loans'), { action: '/m/library/loans', fields: { book_id: '2' } })
  assert.equal(hiddenFields(page, '/search'), null)
})

test("the form of a module's page is the module's, not the platform's above it", () => {
  const above = '<form method="post" action="/sign-out"><input type="hidden" name="_token" value="s"></form>'
  assert.equal(hiddenFields(above + page)?.action, '/sign-out')
  assert.deepEqual(hiddenFields(above + page, '', '/m/library'), hiddenFields(page))
  assert.equal(hiddenFields(page, '', '/m/lib'), null)
})
