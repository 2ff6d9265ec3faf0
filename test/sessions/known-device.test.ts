import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKnownDevices } from '../../host/sessions/known-device.ts'

const devices = createKnownDevices(Buffer.alloc(32, 1))

test('a browser is known to whoever signed in from it, by one id, and to nobody else', () => {
  const first = devices.remember('mona', undefined)
  const both = devices.remember('huda', first)
  const id = devices.idFor('mona', first)
  assert.match(id!, /^[\w-]{22}$/)
  assert.deepEqual(
    ['mona', 'huda', 'salma'].map((name) => devices.idFor(name, both)),
    [id, id, null],
  )
  assert.equal(devices.idFor('huda', first), null)
  assert.notEqual(devices.idFor('mona', devices.remember('mona', undefined)), id)
})

test('it remembers eight people, the last ones, each once', () => {
  let cookie: string | undefined
  for (const name of ['first', 'mona', 'mona', ...Array.from({ length: 7 }, (_, index) => `person ${index}`)])
    cookie = devices.remember(name, cookie)
  assert.equal(cookie!.split('.').length, 9)
  assert.equal(devices.idFor('first', cookie), null)
  assert.ok(devices.idFor('mona', cookie))
})

test('the cookie tells no name; one that was made up, cut or signed elsewhere is nobody’s', () => {
  const cookie = devices.remember('mona', undefined)
  assert.doesNotMatch(cookie, /mona/)
  const [id, mark] = cookie.split('.') as [string, string]
  const foreign = createKnownDevices(Buffer.alloc(32, 2)).remember('mona', undefined)
  const flipped = `${mark[0] === 'A' ? 'B' : 'A'}${mark.slice(1)}`
  const bad = [undefined, '', id, `${id}.`, `${id}.${flipped}`, foreign, `${cookie} `, `${cookie}.${'A'.repeat(200)}`]
  for (const made of bad) assert.equal(devices.idFor('mona', made), null, String(made))
  const begunAnew = devices.remember('mona', 'nonsense')
  assert.ok(devices.idFor('mona', begunAnew))
})
