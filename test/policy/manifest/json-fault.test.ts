import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonFault } from '../../../policy/manifest/json-fault.ts'

// At the mark stands what is wrong.
const faults = [
  '{"a": [1, 2,\n¦]}',
  '[1,\n2,¦,3]',
  '{"a": 1\n¦"b": 2}',
  '{"a"\n¦1}',
  '{¦a: 1}',
  '[¦tru]',
  '[0¦1]',
  '{"a": ¦"x\ny"}',
  '["\\u00e9\\n", ¦"\\x"]',
  '["a", ¦"b]',
  '{"a": {}\n¦',
  '¦',
  '{} ¦{}',
  '¦\ufeff{}',
  '[[], {}, -1.5e3, true, false, null, "é\u2028"¦}',
]

test('where a text is no JSON', () => {
  for (const marked of faults) {
    const text = marked.replace('¦', '')
    assert.throws(() => JSON.parse(text), marked)
    const before = marked.slice(0, marked.indexOf('¦')).split('\n')
    const { line, column } = jsonFault(text, new SyntaxError('x'))
    assert.deepEqual([line, column], [before.length, before.at(-1)!.length + 1], marked)
  }
})

test('a long text is gone through once', () => {
  const texts = Array.from({ length: 20_000 }, () => `"${'\\\\é'.repeat(10)}"`).join(',\n')
  assert.equal(jsonFault(`[${texts},\n]`, new SyntaxError('x')).line, 20_001)
  assert.equal(jsonFault(`["${'\\n '.repeat(200_000)}", x]`, new SyntaxError('x')).line, 1)
})
