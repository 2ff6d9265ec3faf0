import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandbox } from './support.ts'

const counter = '() => (globalThis.count = (globalThis.count ?? 0) + 1)'
/** The same code, so that it is vouched for once and everything after runs on the one ordinary runner. */
const sameApp = (id: string) => ({ installation: { id, app: 'counter', version: '1.0.0', tenantId: id } })

test('the least recently used isolate goes first', async () => {
  const sandbox = await startSandbox({ isolatesPerRunner: 3 })
  try {
    await sandbox.run('first load', counter, sameApp('first load'))
    const count = async (id: string) => {
      const answer = await sandbox.run(id, counter, sameApp(id))
      return answer.ok && jsonOf(answer)
    }
    for (const id of ['a', 'b', 'c']) assert.equal(await count(id), '1')
    assert.equal(await count('a'), '2')
    assert.equal(await count('d'), '1', 'takes the place of b')
    assert.equal(await count('a'), '3')
    assert.equal(await count('c'), '2')
    assert.equal(await count('b'), '1')
  } finally {
    await sandbox.close()
  }
})

test('what a module gathers in many short calls counts, and makes room at its own expense', async () => {
  const sandbox = await startSandbox({ isolatesMb: 24 })
  try {
    const gathers = '() => (globalThis.kept ??= []).push(new Uint8Array(65_536).fill(1))'
    const call = async (id: string) => {
      const answer = await sandbox.run(id, gathers, sameApp(id))
      return answer.ok && jsonOf(answer)
    }
    await call('first load')
    for (const id of ['a', 'b']) for (let times = 1; times <= 300; times++) assert.equal(await call(id), String(times))
    assert.equal(await call('a'), '1', 'both together are more than the runner may keep')
  } finally {
    await sandbox.close()
  }
})

test('an isolate that waits for a service is not dropped while others can go', async () => {
  const sandbox = await startSandbox({ isolatesPerRunner: 2 })
  try {
    await sandbox.run('first load', counter, sameApp('first load'))
    const held = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const waiting = sandbox.run('waits', counter, sameApp('waits'))
    await waiting
    const app = { id: 'holder', app: 'holder', version: '1', tenantId: 'holder' }
    const holder = 'async (entry, input, call) => (entry === "hold" ? await call("hold") : 0)'
    await sandbox.run('holder', holder, { installation: app })
    const holding = sandbox.run('holder', holder, {
      installation: app,
      entry: 'hold',
      wrote: () => true,
      serve: () => {
        started.resolve()
        return held.promise
      },
    })
    await started.promise
    for (const id of ['x', 'y', 'z']) await sandbox.run(id, counter, sameApp(id))
    held.resolve('"kept"')
    const answer = await holding
    assert.equal(answer.ok && jsonOf(answer), '"kept"')
  } finally {
    await sandbox.close()
  }
})

test('an isolate nobody calls is dropped after its idle time', async () => {
  const sandbox = await startSandbox({ idleMs: 300 })
  try {
    await sandbox.run('idle', counter)
    await sandbox.run('idle', counter)
    const deadline = Date.now() + 5_000
    while (sandbox.client.stats().isolates > 0 && Date.now() < deadline)
      await new Promise((next) => setTimeout(next, 20))
    const answer = await sandbox.run('idle', counter)
    assert.equal(answer.ok && jsonOf(answer), '1')
  } finally {
    await sandbox.close()
  }
})

test('dropping an installation ends its isolates and its open requests', async () => {
  const sandbox = await startSandbox()
  try {
    await sandbox.run('gone', counter)
    const reached = Promise.withResolvers<void>()
    const open = sandbox.run('gone', 'async (entry, input, call) => await call("hold")', {
      installation: { id: 'gone', app: 'gone', version: '2', tenantId: 'gone' },
      serve: () => {
        reached.resolve()
        return new Promise(() => {})
      },
    })
    await reached.promise
    sandbox.client.drop('gone')
    const answer = await open
    assert.equal(!answer.ok && answer.error.kind, 'dropped')
    const next = await sandbox.run('gone', counter)
    assert.equal(next.ok && jsonOf(next), '1')
  } finally {
    await sandbox.close()
  }
})
