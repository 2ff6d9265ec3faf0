import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createIsolateClient } from '../../host/isolates/client/client.ts'
import { moduleOf, requestOf, startSandbox } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

test('a handler gets its entry and input, and its result comes back as JSON text', async () => {
  const answer = await sandbox.run('echo', '(entry, input) => ({ entry, input })', { input: '{"name":"نورة"}' })
  assert.equal(answer.ok && jsonOf(answer), '{"entry":"route","input":{"name":"نورة"}}')
})

test('a number is a result however many digits it has', async () => {
  const digits = '1'.repeat(100)
  const answer = await sandbox.run('digits', `() => JSON.rawJSON('${digits}')`)
  assert.equal(answer.ok && jsonOf(answer), digits)
  assert.deepEqual(sandbox.strikes, [])
})

test('a service call is served by the request that made it, also when many run in one isolate', async () => {
  const handle = 'async (entry, input, call) => { await call("wait"); return [input, await call("who", { n: input })] }'
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, n) =>
      sandbox.run('concurrent', handle, {
        input: String(n),
        serve: async (path, args) => (path === 'who' ? `"request ${n} asked with ${JSON.parse(args).n}"` : 'null'),
      }),
    ),
  )
  answers.forEach((answer, n) => {
    assert.equal(answer.ok && jsonOf(answer), `[${n},"request ${n} asked with ${n}"]`)
    assert.equal(answer.serviceCalls, 2)
  })
})

test('what is served to a request that has ended wakes nobody', async () => {
  const handle = `async (entry, input, call) => {
    for (let turn = 0; turn < 9; turn++) await null
    if (entry !== 'leave') return String(globalThis.woken)
    call('late').finally(() => { globalThis.woken = true })
    return 'left'
  }`
  await sandbox.run('leaves', handle)
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const left = await sandbox.run('leaves', handle, { entry: 'leave', serve: () => late })
  assert.equal(left.ok ? jsonOf(left) : left.error.message, '"left"')
  resolve('null')
  await late
  const next = await sandbox.run('leaves', handle)
  assert.equal(next.ok ? jsonOf(next) : next.error.message, '"undefined"')
})

test('two installations of one app share nothing, nor do two versions at one school', async () => {
  const handle = '() => (globalThis.calls = (globalThis.calls ?? 0) + 1)'
  const counted = async (id: string, version = '1') => {
    const answer = await sandbox.run('counts', handle, { installation: { id, app: 'counts', version, tenantId: id } })
    return answer.ok ? jsonOf(answer) : answer.error.message
  }
  // The first call of code that is new here is answered in quarantine.
  for (const version of ['1', '2']) await counted('new', version)
  assert.deepEqual([await counted('one'), await counted('one'), await counted('one')], ['1', '2', '3'])
  assert.deepEqual([await counted('other'), await counted('one', '2'), await counted('one')], ['1', '1', '4'])
})

test('what two web processes run is their own, though they number it alike', async () => {
  const handle = moduleOf('() => (globalThis.calls = (globalThis.calls ?? 0) + 1)')
  const clients = [0, 1].map(() => createIsolateClient({ links: sandbox.pool.links() }))
  const counts: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    for (const client of clients) {
      const answer = await client.call(requestOf('alike', handle))
      counts.push(answer.ok ? jsonOf(answer) : answer.error.message)
    }
  }
  for (const client of clients) client.close()
  assert.deepEqual(counts, ['1', '1', '1', '1', '2', '2'])
})

test('an installation that is disabled is not even loaded', async () => {
  const links = sandbox.pool.links()
  const client = createIsolateClient({ links, isDisabled: ({ id }) => id === 'stopped' })
  const loadBundle = () => assert.fail('loaded')
  const answer = await client.call(requestOf('stopped', '', { loadBundle }))
  assert.equal(!answer.ok && answer.error.kind, 'quarantined')
  const other = await client.call(requestOf('running', moduleOf('() => 1')))
  assert.equal(other.ok && jsonOf(other), '1')
  client.close()
})

test('what is no name of an entry is no call', async () => {
  for (const entry of ['', 'Route', 'a b', 'a\nb', 'a\n', `a${'b'.repeat(100)}`])
    await assert.rejects(sandbox.run('entries', '() => 1', { entry }), TypeError, entry)
})

test('a refused service call is an error with the listed fields and no others', async () => {
  const handle = `async (entry, input, call) => {
    try { await call('students.list') } catch (error) {
      return { ...error, message: error.message, isError: error instanceof Error, hostStack: /support|call\\.test/.test(error.stack) }
    }
  }`
  const answer = await sandbox.run('refused', handle, {
    serve: async () => {
      throw Object.assign(new Error('no scope'), {
        code: 'scope_not_granted',
        status: 403,
        scope: 'a.b.read',
        query: 'select',
      })
    },
  })
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), {
    code: 'scope_not_granted',
    status: 403,
    scope: 'a.b.read',
    message: 'no scope',
    isError: true,
    hostStack: false,
  })
})

test('an unlisted host error tells the guest nothing', async () => {
  const handle = 'async (entry, input, call) => { try { await call("x") } catch (error) { return error.message } }'
  const answer = await sandbox.run('unlisted', handle, {
    serve: async () => {
      throw new Error('relation "secrets" does not exist')
    },
  })
  assert.equal(answer.ok && jsonOf(answer), '"the service call failed"')
})

test('a call that fails once its request is answered is told in the log; one of a request that was given up or failed is not', async () => {
  const handle = `async (entry, input, call) => {
    const left = call('services.left')
    if (entry === 'given-up') await left
    if (entry === 'failed') throw new Error('its own')
    return 'saved'
  }`
  const linesOf = async (entry: string) => {
    const lines: string[] = []
    const left = Promise.withResolvers<string>()
    const onLog = ({ level, message }: { level: string; message: string }) => void lines.push(`${level} ${message}`)
    await sandbox.run('left', handle, {
      entry,
      serve: () => left.promise,
      onLog,
      limits: entry === 'given-up' ? { wallMs: 1_000 } : {},
    })
    left.reject(
      Object.assign(new Error('the data is wrong'), { code: 'invalid_data', status: 422, errors: { name: ['empty'] } }),
    )
    await left.promise.catch(() => new Promise(setImmediate))
    return lines
  }
  assert.deepEqual(await linesOf('route'), [
    'error a call that nobody waited for failed: services.left: invalid_data: the data is wrong {"name":["empty"]}',
  ])
  for (const entry of ['given-up', 'failed']) assert.deepEqual(await linesOf(entry), [], entry)
})

test('a raw service call hands the text over unparsed', async () => {
  const handle = 'async (entry, input, call) => typeof await call.raw("rows")'
  const answer = await sandbox.run('raw', handle, { serve: async () => '[{"id":1}]' })
  assert.equal(answer.ok && jsonOf(answer), '"string"')
})

test('console and call.log reach the log of the request', async () => {
  const lines: string[] = []
  const handle = '(entry, input, call) => { console.warn("a", { b: 1 }); call.log("error", "bad"); return 1 }'
  await sandbox.run('logs', handle, { onLog: (line) => lines.push(`${line.level} ${line.message}`) })
  assert.deepEqual(lines, ['warn a {"b":1}', 'error bad'])
})

test('timers run within a call and end with it', async () => {
  const handle = `async () => {
    const seen = []
    setTimeout(() => seen.push('cleared'), 1)
    clearTimeout(globalThis.never)
    const ticking = setInterval(() => seen.push('tick'), 5)
    await new Promise((resolve) => setTimeout(resolve, 30))
    clearInterval(ticking)
    return seen.includes('tick')
  }`
  const answer = await sandbox.run('timers', handle)
  assert.equal(answer.ok && jsonOf(answer), 'true')
})

test('timers that were cleared take no place: each of many calls may have its own time limit', async () => {
  const handle = `async (entry, input, call) => {
    for (let n = 0; n < 300; n++) {
      const tooLate = setTimeout(() => {}, 60_000)
      await call('quick')
      clearTimeout(tooLate)
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
    return 'done'
  }`
  const answer = await sandbox.run('time limits', handle)
  assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '"done"')
})

test('a handler that waits for a timer it has cleared is told at once that it waits for nothing', async () => {
  const handle = `() => new Promise((resolve) => clearTimeout(setTimeout(resolve, 60_000)))`
  const answer = await sandbox.run('cleared', handle)
  assert.equal(!answer.ok && answer.error.kind, 'never_settled')
})

test('the globals are those of the list and nothing of the host', async () => {
  const handle = `() => ['process', 'require', 'fetch', 'Buffer', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef',
    'FinalizationRegistry', 'ivm', '__partner_module__', 'structuredClone'].filter((name) => name in globalThis).concat(typeof gc === 'undefined' ? [] : 'gc')`
  const answer = await sandbox.run('globals', handle)
  assert.equal(answer.ok && jsonOf(answer), '[]')
})

test('random identifiers are well formed and differ between isolates', async () => {
  const handle = '() => [crypto.randomUUID(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).length]'
  const [one, other] = await Promise.all([sandbox.run('uuid-a', handle), sandbox.run('uuid-b', handle)])
  const all = [one, other].flatMap((answer) => (answer.ok ? JSON.parse(jsonOf(answer)).slice(0, 2) : []))
  assert.equal(new Set(all).size, 4)
  for (const id of all) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('what a guest throws that is no error is described in few words, whatever it does when it is looked at', async () => {
  for (const [thrown, message] of [
    ['{ code: 1 }', 'no Error but {"code":1}'],
    ['undefined', 'no Error but undefined'],
    ['null', 'no Error but null'],
    ['5n', 'no Error but 5'],
    ['Symbol("s")', 'no Error but Symbol(s)'],
    ['"text"', 'text'],
    ['{ message: "own words" }', 'own words'],
    ['{ a: { get b() { throw 1 } } }', 'no Error but an object'],
    ['{ toJSON() { return undefined } }', 'no Error but an object'],
    ['new Proxy({}, { get(_, key) { if (key !== "message") throw 1 } })', 'unprintable error'],
    ['Array(1e6).fill(0)', 'no Error but an object'],
    ['{ a: "x".repeat(1e6) }', `no Error but {"a":"${'x'.repeat(200)}"}`],
  ] as const) {
    const answer = await sandbox.run(`throws ${thrown}`, `async () => { throw ${thrown} }`)
    assert.deepEqual([!answer.ok && answer.error.kind, !answer.ok && answer.error.message], ['threw', message], thrown)
  }
})

test('a bundle that the database is too far away to give is no fault of its module, one that is refused is', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  for (const [error, kind] of [
    [away, 'runner_lost'],
    [new Error('lacks a valid signature'), 'load_failed'],
  ] as const) {
    const answers = await Promise.all(
      [1, 2].map(() => sandbox.run(kind, '() => 1', { loadBundle: () => Promise.reject(error) })),
    )
    for (const answer of answers) assert.equal(!answer.ok && answer.error.kind, kind)
  }
  const next = await sandbox.run('runner_lost', '() => 1')
  assert.equal(next.ok && jsonOf(next), '1')
})
