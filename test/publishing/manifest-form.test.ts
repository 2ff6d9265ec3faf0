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

test('a manifest that is no JSON is refused at the line of what is wrong, in the words of the parser', () => {
  assert.throws(
    () => parseManifest(files('{\n  "moduleId": "clubs",\n  "scopes": [],\n}\n')),
    (error) => {
      const { findings } = refusalOf(error)
      assert.deepEqual(
        findings.map(({ rule, line, column }) => [rule, line, column]),
        [['manifest-not-json', 4, 1]],
      )
      assert.match(findings[0]!.message, /^no JSON: Expected double-quoted property name/)
      return true
    },
  )
})
