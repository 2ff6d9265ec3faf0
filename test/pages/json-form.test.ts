import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isJson } from '../../host/pages/json-form.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('every JSON text is one, however it is spaced', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (value, space) =>
      isJson(JSON.stringify(value, null, space)),
    ),
  )
})

test('it agrees with JSON.parse on texts made of the pieces of JSON', () => {
  const piece = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e9',
      'true',
      'null',
      ' ',
      '\n',
      '\\',
      '\\u00',
      'x',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(isJson(text), parses(text), text)
    }),
    { numRuns: 20_000 },
  )
})

for (const text of [
  '',
  ' ',
  '{"a"}',
  '{"a":1,}',
  '[1,]',
  '01',
  '1 2',
  '"\n"',
  '"\\x"',
  '"\\u12g4"',
  '[1}',
  '{a:1}',
  '"',
  '"\\',
  '\u00a01',
  '[',
]) {
  test(`${JSON.stringify(text)} is no JSON`, () => assert.equal(isJson(text), false))
}

test('a hundred levels pass, one more does not', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.deepEqual([isJson(nested(100)), isJson(nested(101)), isJson(nested(100_000))], [true, false, false])
})
