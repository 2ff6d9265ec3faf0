import { buildRunnerJail } from '../../host/isolates/runner-jail.ts'
import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import {
  compileCodeCache,
  createCodeCacheOpener,
  openCodeCache,
  sealCodeCache,
} from '../../host/isolates/code-cache.ts'
import { bundleOf, moduleOf, requestOf, startSandbox } from './support.ts'

const key = randomBytes(32)
const code = `${'function filler(a) { return a + 1 };'.repeat(500)}${moduleOf('(entry, input) => input * 2')}`
const cache = await compileCodeCache(code)
const sandbox = await startSandbox({}, { codeCacheKey: key })
after(() => sandbox.close())

test('a cache is made without running the code and opens under its own key and bundle only', async () => {
  const { hash } = bundleOf(code)
  const sealed = sealCodeCache(cache, hash, key)
  assert.deepEqual(openCodeCache(sealed, hash, key), cache)
  assert.equal(openCodeCache(sealed, bundleOf('other').hash, key), undefined)
  assert.equal(openCodeCache(sealed, hash, randomBytes(32)), undefined)
  const open = createCodeCacheOpener(key)
  for (const [of, inside] of [
    [hash, cache],
    [bundleOf('other').hash, undefined],
    [hash, cache],
  ] as const)
    assert.deepEqual(open(sealed, of), inside)
  const executed = await compileCodeCache('for (;;);')
  assert.ok(executed.length > 0)
})

test('one flipped bit anywhere is refused', () => {
  const { hash } = bundleOf(code)
  const sealed = sealCodeCache(cache, hash, key)
  for (const at of [0, 31, 32, 40, sealed.length >> 1, sealed.length - 1]) {
    const tampered = Uint8Array.from(sealed)
    tampered[at] = tampered[at]! ^ 1
    assert.equal(openCodeCache(tampered, hash, key), undefined)
  }
  assert.equal(openCodeCache(new Uint8Array(8), hash, key), undefined)
})

test('a module answers the same with its cache, and with a tampered one, which is left aside with a warning', async () => {
  const { hash } = bundleOf(code)
  const good = sealCodeCache(cache, hash, key)
  const bad = Uint8Array.from(good)
  bad[100] = bad[100]! ^ 1
  for (const [name, codeCache] of Object.entries({ good, bad })) {
    const request = requestOf(name, code, { input: '21', loadBundle: async () => ({ ...bundleOf(code), codeCache }) })
    const answer = await sandbox.client.call(request)
    assert.equal(answer.ok && jsonOf(answer), '42')
  }
  assert.equal(sandbox.warnings.filter((line) => line.includes('not ours')).length, 1)
})

test('code that does not compile gives an error and no cache', () =>
  assert.rejects(compileCodeCache('{'), /does not compile/))

test('whoever compiles has an empty environment', async () => {
  const tell = `require('node:fs').writeSync(3, JSON.stringify(process.env))`
  const jail = { ...buildRunnerJail(), command: () => ({ program: process.execPath, args: ['-e', tell] }) }
  assert.equal(Buffer.from(await compileCodeCache('1', jail)).toString(), '{}')
  jail.remove()
})
