import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jsonOf } from './json-of.ts'
import { startSandbox } from './support.ts'

/** What a handler does after a timer is its own, though the guest's timers carry no name that could be believed. */
const sandbox = await startSandbox({ wallMs: 60_000 }, { runners: 1 })
/** Where time slices alone judge: on a machine that is busy, then free, the watchdog may come first. */
const patient = await startSandbox({ wallMs: 60_000, unresponsiveCpuMs: 10_000 }, { runners: 1 })
after(() => Promise.all([sandbox.close(), patient.close()]))

const pause = 'await new Promise((done) => setTimeout(done, 5))'
const burns = `for (;;);`
const sticks = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'
const kindOf = async (answer: ReturnType<typeof sandbox.run>) => {
  const seen = await answer
  return seen.ok ? jsonOf(seen) : seen.error.kind
}

test('a handler that burns after a timer is told so', async () => {
  assert.equal(await kindOf(patient.run('burns', `async () => { ${pause}; ${pause}; ${burns} }`)), 'timeout')
})

test('a handler that kills its runner after a timer costs one runner, not two', async () => {
  const handle = `async (entry) => { if (entry === 'stick') { ${pause}; ${sticks} } }`
  await sandbox.run('sticks', handle)
  assert.equal(await kindOf(sandbox.run('sticks', handle, { entry: 'stick' })), 'runner_lost')
  assert.deepEqual(sandbox.strikes, ['sticks'])
})

test('who burns after a timer is known among others of its module, who answer', async () => {
  const handle = `async (entry, input, call) => {
    if (entry === 'burn') { ${pause}; ${burns} }
    return entry === 'wait' ? call('held') : (${pause}, entry)
  }`
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const serve = () => {
    reached.resolve()
    return held.promise
  }
  const waiting = patient.run('mixed', handle, { entry: 'wait', serve })
  await reached.promise
  assert.equal(await kindOf(patient.run('mixed', handle, { entry: 'burn' })), 'timeout')
  held.resolve('"held"')
  assert.equal(await kindOf(waiting), '"held"')
})

test('a timer of a call that has ended is no fault of those still open, however often', async () => {
  const handle = `async (entry, input, call) => {
    if (entry !== 'leave') return call('held')
    setTimeout(() => { ${burns} }, 5)
    return 'left'
  }`
  const reached = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  let tries = 0
  const waiting = patient.run('left', handle, {
    serve: async () => {
      reached[tries++]!.resolve()
      return tries === 4 ? '"held"' : new Promise<string>(() => {})
    },
  })
  for (const { promise } of reached.slice(0, 3)) {
    await promise
    assert.equal(await kindOf(patient.run('left', handle, { entry: 'leave' })), '"left"')
  }
  assert.equal(await kindOf(waiting), '"held"')
})

test('what timers of ended calls use of the CPU is paid by those of their module that are open', async () => {
  const handle = `async (entry, input, call) => {
    if (entry !== 'leave') return call('held')
    const burn = () => { for (const end = Date.now() + 20; Date.now() < end; ); setTimeout(burn, 1) }
    setTimeout(burn, 1)
    return 'left'
  }`
  const reached = Promise.withResolvers<void>()
  const serve = () => {
    reached.resolve()
    return new Promise<string>(() => {})
  }
  const waiting = patient.run('spends', handle, { serve, limits: { cpuMs: 100 } })
  await reached.promise
  assert.equal(await kindOf(patient.run('spends', handle, { entry: 'leave' })), '"left"')
  assert.equal(await kindOf(waiting), 'cpu')
})

test('who kills a runner in the step behind the one that overspent its request is known, though its isolate was given up', async () => {
  const honest = '() => "served"'
  const handle = `async (entry, input, call) => {
    if (entry !== 'go') return entry
    call('burn').then(() => { for (let n = 0; n < 4e8; n++) globalThis.n = n })
    call('stick').then(() => { ${sticks} })
    return new Promise(() => {})
  }`
  const swift = await startSandbox({ sliceMs: 400, wallMs: 60_000 }, { runners: 1 })
  try {
    for (const name of ['evil', 'honest']) await swift.run(name, name === 'evil' ? handle : honest)
    const asked = Promise.withResolvers<void>()
    const serve = async (path: string) => {
      if (path === 'stick') asked.resolve()
      await asked.promise
      // Each leaves in a step of its own, the second while the first runs.
      if (path === 'stick') for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
      return 'null'
    }
    assert.equal(await kindOf(swift.run('evil', handle, { entry: 'go', serve, limits: { cpuMs: 50 } })), 'cpu')
    assert.equal(await kindOf(swift.run('honest', honest)), '"served"')
    assert.deepEqual(swift.strikes, ['evil'])
  } finally {
    await swift.close()
  }
})
