import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { GuestRequest } from '../../host/isolates/client/types.ts'
import { heldMb } from './held-memory.ts'
import { jsonOf } from './json-of.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

/** Calls a module that was loaded, so that all its calls meet in one isolate. */
const moduleThat = async (name: string, body: string) => {
  const handle = `async (entry, input, call) => { if (entry === 'load') return entry; ${body} }`
  const run = async (request: Partial<GuestRequest>) => {
    const answer = await sandbox.run(name, handle, request)
    return answer.ok ? jsonOf(answer) : answer.error.kind
  }
  await run({ entry: 'load' })
  return run
}
/** Serves calls when so many have come. */
const gateFor = (count: number) => {
  const all = Promise.withResolvers<string>()
  let waiting = 0
  return () => {
    if (++waiting === count) all.resolve('"all"')
    return all.promise
  }
}
/** A request whose call is served at the end. */
const hold = async (run: Awaited<ReturnType<typeof moduleThat>>) => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const serve = () => {
    reached.resolve()
    return released.promise
  }
  const held = run({ entry: 'hold', serve })
  await reached.promise
  return () => {
    released.resolve('"held"')
    return held
  }
}
const guard = 'const late = new Promise((_, reject) => setTimeout(reject, 60_000, new Error("late")))'
const guarded = `${guard}; return Promise.race([call('x'), late])`

test('requests that run at once each have their timers, as many as one alone', async () => {
  const run = await moduleThat('at once', guarded)
  const serve = gateFor(100)
  const answers = await Promise.all(Array.from({ length: 100 }, () => run({ serve })))
  assert.deepEqual([...new Set(answers)], ['"all"'])
})

test('timers that requests left behind are not counted for those that come after them', async () => {
  const run = await moduleThat('left behind', guarded)
  const release = await hold(run)
  for (let visit = 0; visit < 1_200; visit += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => run({})))
    assert.deepEqual([...new Set(answers)], ['null'], `visit ${visit}`)
  }
  assert.equal(await release(), '"held"')
})

test('timers that go on after their requests are counted for nobody', async () => {
  const later = {
    again: 'setTimeout(() => setTimeout(() => {}, 60_000), 0)',
    repeated: 'setInterval(() => {}, 1)',
  }
  const goesOn = Object.entries(later).map(([entry, code]) => `if (entry === '${entry}') { ${code}; return entry }`)
  const own = 'await new Promise((done) => setTimeout(done, 5)); return entry'
  const run = await moduleThat('go on', `${goesOn.join(' ')} await call('x'); ${own}`)
  for (const entry of Object.keys(later)) {
    const release = await hold(run)
    for (let visit = 0; visit < 200; visit++) assert.equal(await run({ entry }), JSON.stringify(entry))
    for (let visit = 0; visit < 3; visit++) assert.equal(await run({ entry: 'own' }), '"own"', entry)
    assert.equal(await release(), '"hold"')
  }
})

test('a timer that a request left behind holds nothing of its answer', async () => {
  const run = await moduleThat(
    'answers',
    `${guard}; late.catch(() => {}); await call('x'); return ['x'.repeat(500_000)]`,
  )
  const release = await hold(run)
  const before = await heldMb()
  for (let visit = 0; visit < 50; visit++) assert.equal((await run({})).length, 500_004)
  const grownMb = (await heldMb()) - before
  assert.ok(grownMb < 10, `${grownMb} MB`)
  await release()
})

test('one request alone meets its limit of timers, and whoever comes after it has as many', async () => {
  const sets = (count: number) => `for (let n = 0; n < ${count}; n++) setTimeout(() => {}, 60_000)`
  const run = await moduleThat('alone', `entry === 'most' ? (() => { ${sets(64)} })() : (() => { ${sets(65)} })()`)
  for (const entry of ['most', 'more', 'most', 'more']) {
    assert.equal(await run({ entry }), entry === 'most' ? 'null' : 'too_many_calls')
  }
})

test('timers of an isolate are bounded, whoever set them', async () => {
  const run = await moduleThat(
    'all together',
    `for (let n = 0; n < 64; n++) setTimeout(() => {}, 60_000); if (entry === 'hold') await call('x')`,
  )
  const releases = []
  for (let held = 0; held < 16; held++) releases.push(await hold(run))
  assert.equal(await run({}), 'too_many_calls')
  await releases[0]!()
  // In the places of those that the one left behind.
  for (let visit = 0; visit < 3; visit++) assert.equal(await run({}), 'null')
  for (const release of releases) await release()
})
