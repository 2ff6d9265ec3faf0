import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Linter } from 'eslint'
import { guestSource } from '../../host/isolates/guest/source.ts'

test('what is sent into an isolate refers to nothing but itself and the language', () => {
  const found = new Linter().verify(guestSource(), {
    languageOptions: { ecmaVersion: 'latest', sourceType: 'script' },
    rules: { 'no-undef': 'error' },
  })
  assert.deepEqual(
    found.map(({ message }) => message),
    [],
  )
})
