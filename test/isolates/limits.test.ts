import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { FailureKind, GuestRequest } from '../../host/isolates/client/types.ts'
import { defaultLimits, resolveLimits } from '../../host/isolates/limits.ts'
import { moduleOf, requestOf, startSandbox, unlessAgain } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

async function fails(
  name: string,
  kind: FailureKind,
  handle: string,
  request: Partial<GuestRequest> = {},
  at = sandbox,
) {
  const answer = await at.run(name, handle, request)
  assert.equal(answer.ok ? jsonOf(answer).slice(0, 80) : answer.error.kind, kind)
  const next = await at.run(name, handle, { ...request, entry: 'again' })
  assert.equal(next.ok ? jsonOf(next) : JSON.stringify(next.error), '"again"', 'the next call works')
}

test('a run longer than a slice is a timeout', async () => {
  // The slice alone is to judge here: on a machine that is busy, then free, the watchdog may come first.
  const patient = await startSandbox({ unresponsiveCpuMs: 10_000 })
  try {
    await fails('slice', 'timeout', unlessAgain('for (;;);'), {}, patient)
  } finally {
    await patient.close()
  }
})

test('more CPU time than a request may use is told apart from a long run', () =>
  fails('cpu', 'cpu', unlessAgain('for (;;) { for (let i = 0; i < 1e7; i++); await call("x") }'), {
    limits: { cpuMs: 100 },
  }))

test('a heap over its limit is a memory failure', () =>
  fails(
    'memory',
    'memory',
    unlessAgain('const kept = []; for (;;) { kept.push(new Array(1e5).fill(1.5)); await call("x") }'),
  ))

test('no answer in time is a timeout, a handler that waits for nothing is answered at once, and the isolate stays', async () => {
  const counts = `async (entry, input, call) => {
    if (entry === 'waits') await call('never')
    if (entry === 'works') for (;;) await call('soon')
    if (entry === 'stuck') await new Promise(() => {})
    return globalThis.count = (globalThis.count ?? 0) + 1
  }`
  const serve = (path: string) =>
    new Promise<string>((resolve) => {
      if (path === 'soon') setTimeout(resolve, 1, '1')
    })
  const run = async (name: string, entry: string) => {
    const wallMs = entry === 'waits' || entry === 'works' ? 1_000 : 60_000
    const limits = { wallMs, cpuMs: 60_000, totalCalls: 10_000 }
    const answer = await sandbox.run(name, counts, { entry, serve, limits })
    return answer.ok ? jsonOf(answer) : answer.error.kind
  }
  const all = ['waits', 'works', 'stuck', 'beside them']
  // Loaded first: where the machine gives its runner no time to begin, the module is not to blame and the answer is another.
  for (const name of all) for (const count of ['1', '1', '2']) assert.equal(await run(name, 'count'), count)
  const ends = await Promise.all(['waits', 'works', 'stuck'].map((entry) => run(entry, entry)))
  assert.deepEqual(ends, ['timeout', 'timeout', 'never_settled'])
  // The runner takes one thing after another: once this is answered, it has been told of the end of the others.
  assert.equal(await run('beside them', 'count'), '3')
  for (const name of all.slice(0, 3)) assert.equal(await run(name, 'count'), '3', name)
})

test('a service call that its request did not wait for holds no memory once the request is over', async () => {
  const handle = unlessAgain(`const rows = new Array(2e5).fill(1.5)
    call('slow').then(() => rows)
    await call('fails')`)
  const serve = (path: string) =>
    path === 'slow' ? new Promise<string>(() => {}) : Promise.reject(Object.assign(new Error('no'), { code: 'failed' }))
  for (let visit = 0; visit < 100; visit++) {
    const answer = await sandbox.run('unawaited', handle, { serve })
    assert.equal(answer.ok ? 'ok' : answer.error.kind, 'threw', `visit ${visit}`)
  }
})

test('words of the sandbox in a guest’s mouth gain it no further try: calls and lines are those of one request', async () => {
  let served = 0
  let lines = 0
  const forged = `new Error('Script execution timed out.')`
  const request = {
    limits: { wallMs: 2_000 },
    serve: async () => `${++served}`,
    onLog: () => void lines++,
  }
  const handle = `async (entry, input, call) => {
    for (let n = 0; n < 150; n++) call.log('info', 'x')
    for (let n = 0; n < 400; n++) await call('x')
    Promise.reject(${forged})
    return new Promise(() => {})
  }`
  const answer = await sandbox.run('forger', handle, request)
  assert.equal(answer.ok ? 'ok' : answer.error.kind, 'never_settled')
  assert.ok(served <= 400 && lines <= 151, `${served} calls, ${lines} lines`)
  const code = `globalThis.loads = 1; throw ${forged}`
  const thrown = await sandbox.client.call(requestOf('throws while it loads', code, request))
  assert.equal(thrown.ok ? 'ok' : thrown.error.kind, 'load_failed')
})

test('log lines above the limit stay in the guest: they fill no step and cost the host nothing', async () => {
  const lines: string[] = []
  const handle = unlessAgain(`
    const line = 'x'.repeat(2_000)
    for (let n = 0; n < 10_000; n++) n % 2 ? console.log(line) : call.log('info', line)
    return entry`)
  await sandbox.run('talks', handle, { entry: 'again' })
  const answer = await sandbox.run('talks', handle, { onLog: ({ message }) => lines.push(message) })
  assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '"route"')
  assert.equal(lines.length, 201)
  assert.equal(lines.at(-1), 'more than 200 lines: the rest is dropped')
})

test('more service calls at once than allowed', () =>
  fails('pending', 'too_many_calls', unlessAgain('await Promise.all(Array.from({ length: 65 }, () => call("x")))')))

test('more service calls in all than allowed', () =>
  fails('total', 'too_many_calls', unlessAgain('for (let i = 0; i < 501; i++) await call("x")')))

test('tighter limits of its own hold for one request and not for the next', async () => {
  const handle = 'async (entry, input, call) => { for (let i = 0; i < input; i++) await call("x"); return "fine" }'
  const called = async (input: string, limits?: GuestRequest['limits']) => {
    const answer = await sandbox.run('own', handle, { input, limits })
    return answer.ok ? jsonOf(answer) : answer.error.kind
  }
  assert.equal(await called('4', { totalCalls: 3 }), 'too_many_calls')
  assert.equal(await called('4'), '"fine"')
})

test('wider limits of its own hold for one request', async () => {
  const lines: string[] = []
  const answer = await sandbox.run(
    'wider',
    `async (entry, input, call) => {
      await Promise.all(Array.from({ length: 70 }, () => call("x")))
      for (let i = 0; i < 440; i++) await call("x", i === 0 ? "a".repeat(262145) : i)
      await Promise.all(Array.from({ length: 70 }, () => new Promise((done) => setTimeout(done, 1))))
      call.log('info', 'l'.repeat(9000))
      return 'a'.repeat(1048577)
    }`,
    {
      limits: {
        pendingCalls: 70,
        totalCalls: 510,
        argumentBytes: 262_147,
        resultBytes: 1_048_579,
        logLineLength: 8_000,
      },
      onLog: ({ message }) => lines.push(message),
    },
  )
  assert.equal(answer.ok ? jsonOf(answer).length : JSON.stringify(answer.error), 1_048_579)
  assert.deepEqual(
    lines.map(({ length }) => length),
    [8_000],
  )
})

test('larger arguments than allowed', () =>
  fails('argument', 'argument_too_large', unlessAgain('await call("x", "a".repeat(262145))')))

test('arguments are measured in bytes, not characters', () =>
  fails('argument-bytes', 'argument_too_large', unlessAgain('await call("x", "ع".repeat(200000))')))

test('a service result of more than eight megabytes is an error to the guest', async () => {
  const handle =
    'async (entry, input, call) => { try { return (await call("x")).length } catch ({ code }) { return code } }'
  const answered = async (length: number) => {
    const answer = await sandbox.run('served', handle, { serve: async () => `"${'x'.repeat(length - 2)}"` })
    return answer.ok ? jsonOf(answer) : answer.error.message
  }
  assert.equal(await answered(8 * 1_048_576), `${8 * 1_048_576 - 2}`)
  assert.equal(await answered(8 * 1_048_576 + 1), '"result_too_large"')
})

test('a larger result than allowed', () =>
  fails('result', 'result_too_large', unlessAgain('return "a".repeat(1048577)')))

test('a result of 50 MB', () => fails('huge', 'result_too_large', unlessAgain('return "a".repeat(5e7)')))

test('a result of one megabyte passes', async () => {
  const answer = await sandbox.run('megabyte', '() => "a".repeat(1048574)')
  assert.equal(answer.ok && jsonOf(answer).length, 1_048_576)
})

test('results with no JSON: a cycle, a function, a symbol, a big integer', async () => {
  for (const [name, value] of Object.entries({ cycle: 'c', fn: '() => 1', symbol: 'Symbol()', big: '1n' })) {
    const answer = await sandbox.run(name, `() => { const c = {}; c.c = c; return ${value} }`)
    assert.equal(!answer.ok && answer.error.kind, 'unserialisable', name)
  }
})

test('a bundle that is too large, does not compile, exports nothing or throws does not load, and says so', async () => {
  const fitting = moduleOf('() => 1')
  const codes = {
    'too large': fitting.padEnd(2_097_153),
    syntax: 'globalThis.__partner_module__ = {',
    nothing: '1',
    'no handle': 'globalThis.__partner_module__ = {}',
    throws: 'throw new Error("at the top")',
  }
  const largest = await sandbox.client.call(requestOf('largest bundle', fitting.padEnd(2_097_152)))
  assert.ok(largest.ok)
  for (const [name, code] of Object.entries(codes)) {
    const answer = await sandbox.client.call(requestOf(`bundle ${name}`, code))
    assert.equal(!answer.ok && answer.error.kind, 'load_failed', name)
    assert.ok(!answer.ok && answer.error.message.length > 0)
  }
})

test('log lines over the limit are dropped with one line that says so', async () => {
  const lines: string[] = []
  await sandbox.run('chatty', '() => { for (let i = 0; i < 50; i++) console.log(i) }', {
    limits: { logLines: 3 },
    onLog: (line) => lines.push(line.message),
  })
  assert.deepEqual(lines, ['0', '1', '2', 'more than 3 lines: the rest is dropped'])
})

test('a rejection nobody handles is logged and harms no call', async () => {
  const lines: string[] = []
  const answer = await sandbox.run('orphan', '() => { Promise.reject(new Error("forgotten")); return 1 }', {
    onLog: (line) => lines.push(line.message),
  })
  assert.equal(answer.ok && jsonOf(answer), '1')
  assert.match(lines[0] ?? '', /unhandled rejection: forgotten/)
})

test('settings out of range or unknown are refused by name', () => {
  assert.throws(() => resolveLimits({ memoryMb: 4 }), /"memoryMb" must be a whole number from 8 to 256/)
  assert.throws(() => resolveLimits({ isolatesPerRunner: 1_001 }), /isolatesPerRunner/)
  assert.throws(() => resolveLimits(JSON.parse('{"memoryMB":64}')), /unknown sandbox limit "memoryMB"/)
  assert.equal(defaultLimits().memoryMb, 64)
})
