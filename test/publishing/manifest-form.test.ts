import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from '../../host/publishing/refused.ts'
import { parseManifest } from '../../host/publishing/source/read-manifest.ts'

const files = (text: string) => ({ 'manifest.json': Buffer.from(text).toString('base64') })

test('a manifest with a key twice is refused before anything is read of it, at the line of the second', () => {
  const parse = () => parseManifest(files('{ "scopes": [],\n"moduleId": "clubs",\n"scopes": [{ "key": "a" }] }'))
  assert.throws(parse, (error) => {
    const { findings } = refusalOf(error)
    assert.deepEqual(
      findings.map(({ rule, line }) => [rule, line]),
      [['manifest-duplicate', 3]],
    )
    return true
  })
  assert.deepEqual(parseManifest(files('{ "a": { "key": "key" }, "key": ["a", "a"] }')), {
    a: { key: 'key' },
    key: ['a', 'a'],
  })
})
