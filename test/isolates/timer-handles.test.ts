import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jsonOf } from './json-of.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

/** What a body returns in an isolate and on the host. */
const both = async (name: string, body: string) => {
  const [answer, expected] = await Promise.all([
    sandbox.run(name, `async () => { ${body} }`),
    new Function(`return (async () => { ${body} })()`)(),
  ])
  return [answer.ok ? JSON.parse(jsonOf(answer)) : answer.error, expected]
}

test('a timer is cleared by either clear, and what is no timer by neither, as on the host', async () => {
  const [found, expected] = await both(
    'cleared',
    `
    const fired = []
    clearTimeout(setInterval(() => fired.push('interval'), 1))
    clearInterval(setTimeout(() => fired.push('timeout'), 1))
    for (const none of [undefined, null, {}, [], 'x', NaN, Symbol('x'), clearTimeout]) {
      clearTimeout(none)
      clearInterval(none)
    }
    const own = setInterval(() => {
      fired.push('own')
      clearTimeout(own)
    }, 4)
    const over = setTimeout(() => fired.push('over'), 1)
    await new Promise((done) => setTimeout(done, 60))
    clearTimeout(over)
    clearTimeout(own)
    // A machine that stands still between their starts changes their order.
    return fired.sort()`,
  )
  assert.deepEqual(found, ['over', 'own'])
  assert.deepEqual(found, expected)
})

test('a delay is taken for a number as on the host', async () => {
  const [found, expected] = await both(
    'delays',
    `
    const fired = []
    const after = (delay, name) => new Promise((done) => setTimeout(() => done(fired.push(name)), delay))
    const every = (delay, name) => new Promise((done) => {
      const handle = setInterval(() => { clearInterval(handle); done(fired.push(name)) }, delay)
    })
    const refused = [setTimeout, setInterval].map((set) => {
      try { set(() => {}, Symbol('x')) } catch (error) { return error.name }
    })
    await Promise.all([
      after('90', 'text'), every('120', 'every text'), after({ valueOf: () => 60 }, 'object'), after(30, 'number'),
      after('soon', 'none'), after(undefined, 'missing'), after(null, 'null'), after(-1, 'negative'),
    ])
    return [fired, refused]`,
  )
  assert.deepEqual(found, [
    ['none', 'missing', 'null', 'negative', 'number', 'object', 'text', 'every text'],
    ['TypeError', 'TypeError'],
  ])
  assert.deepEqual(found, expected)
})

test('the handle of a timer has what its type promises of ref and unref', async () => {
  const [found, expected] = await both(
    'handles',
    `
    return [setTimeout(() => {}, 5), setInterval(() => {}, 5)].map((handle) => {
      const said = [typeof handle, handle.hasRef(), handle.unref() === handle, handle.hasRef(), handle.ref() === handle, handle.hasRef()]
      clearTimeout(handle)
      return said
    })`,
  )
  assert.deepEqual(found[0], ['object', true, true, false, true, true])
  assert.deepEqual(found, expected)
})
