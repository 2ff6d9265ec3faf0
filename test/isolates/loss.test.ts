import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createIsolateClient } from '../../host/isolates/client/client.ts'
import type { RunnerLink, RunnerLinks } from '../../host/isolates/links.ts'
import { openProcessStat } from '../../host/processes/process-stat.ts'
import { moduleOf, requestOf, startSandbox } from './support.ts'

/** Ignores time slices: only a kill from outside ends it. */
const stuck = '(entry) => (entry === "stick" ? Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) : entry)'
/** Time enough on a starved machine, where half a second of CPU time is many on the clock. */
const sandbox = await startSandbox({ wallMs: 60_000 }, { runners: 1 })
after(() => sandbox.close())

test('a runner that will not stop is found and its caller answered in 0.7 s of its own CPU time', async () => {
  await sandbox.run('stuck-a', stuck)
  const [ordinary] = sandbox.pool.stats().runners.filter((runner) => runner.role === 'ordinary')
  const stat = openProcessStat(Number(ordinary?.pid), '/proc')
  const before = stat.read()?.cpuMs ?? 0
  let used = 0
  const looking = setInterval(() => {
    used = Math.max(used, (stat.read()?.cpuMs ?? 0) - before)
  }, 2)
  const answer = await sandbox.run('stuck-a', stuck, { entry: 'stick' })
  clearInterval(looking)
  stat.close()
  assert.equal(!answer.ok && answer.error.kind, 'runner_lost')
  assert.ok(!sandbox.pool.stats().runners.some((runner) => runner.id === ordinary?.id))
  assert.ok(used <= 700, `${used} ms of CPU time`)
})

test('the spare takes over, and whoever cost a runner is reported and goes to quarantine', async () => {
  assert.deepEqual(sandbox.strikes, ['stuck-a'])
  const answer = await sandbox.run('stuck-a', stuck)
  assert.equal(answer.ok && jsonOf(answer), '"route"')
  const before = new Set(ids('quarantine'))
  await sandbox.run('stuck-a', stuck, { entry: 'stick' })
  assert.ok(
    ids('quarantine').every((id) => !before.has(id)),
    'it was the quarantine runner that died this time',
  )
  assert.deepEqual(sandbox.strikes, ['stuck-a', 'stuck-a'])
})

test('code that never answered stays in quarantine, and one that ends its runner as it loads is known', async () => {
  const fails = stuck.replace(': entry)', ': entry.fails.now)')
  const refused = await sandbox.run('fails', fails)
  assert.equal(!refused.ok && refused.error.kind, 'threw')
  const ordinary = ids('ordinary')
  await sandbox.run('fails', fails, { entry: 'stick' })
  const loads = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'
  await sandbox.client.call(requestOf('stuck-load', loads))
  assert.deepEqual(ids('ordinary'), ordinary)
  assert.deepEqual(sandbox.strikes.slice(-2), ['fails', 'stuck-load'])
})

test('calls of others that wrote nothing are tried again, those that wrote are told', async () => {
  const handle = 'async (entry, input, call) => { const n = await call("hold"); return [entry, n] }'
  await sandbox.run('innocent', '() => 0')
  const quick = 'async (entry) => entry'
  await sandbox.run('stuck-b', stuck)
  let served = 0
  const reached: (() => void)[] = []
  const bothReached = Promise.all([0, 1].map(() => new Promise<void>((resolve) => reached.push(resolve))))
  const hold = () => {
    reached[served]?.()
    return ++served <= 2 ? new Promise<string>(() => {}) : Promise.resolve(String(served))
  }
  const installation = { id: 'innocent', app: 'innocent', version: '1.0.0', tenantId: 'other' }
  await sandbox.run('innocent', handle, { installation: { ...installation, version: '2' }, serve: async () => '0' })
  const harmless = sandbox.run('innocent', handle, { installation: { ...installation, version: '2' }, serve: hold })
  const writer = sandbox.run('innocent', handle, {
    installation: { ...installation, version: '2' },
    serve: hold,
    wrote: () => true,
  })
  await bothReached
  await sandbox.run('stuck-b', stuck, { entry: 'stick' })
  const [tried, told] = await Promise.all([harmless, writer])
  assert.equal(tried.ok && jsonOf(tried), '["route",3]')
  assert.equal(!told.ok && told.error.kind, 'runner_lost')
  assert.ok(!sandbox.strikes.includes('innocent'))
  const next = await sandbox.run('quick', quick)
  assert.equal(next.ok && jsonOf(next), '"route"')
})

test('a call outlives the runners that others cost, one after another, be they called by another process', async () => {
  const elsewhere = createIsolateClient({ links: sandbox.pool.links() })
  const others = ['stuck-c', 'stuck-d', 'stuck-e']
  for (const name of [...others, 'neighbour']) await sandbox.run(name, stuck, { quarantine: true })
  const reached = [...others, 'the last'].map(() => Promise.withResolvers<void>())
  let tries = 0
  const neighbour = sandbox.run('neighbour', 'async (entry, input, call) => call("hold")', {
    installation: { id: 'neighbour', app: 'neighbour', version: '2', tenantId: 'other' },
    quarantine: true,
    serve() {
      reached[tries]?.resolve()
      return ++tries <= others.length ? new Promise(() => {}) : Promise.resolve('"home"')
    },
  })
  for (const [turn, name] of others.entries()) {
    await Promise.race([reached[turn]?.promise, neighbour])
    const caller = turn === 0 ? sandbox.client : elsewhere
    await caller.call(requestOf(name, moduleOf(stuck), { quarantine: true, entry: 'stick' }))
  }
  const answer = await neighbour
  elsewhere.close()
  assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '"home"')
  assert.ok(!sandbox.strikes.includes('neighbour'))
})

test('whoever ran when the host itself ended a runner is not to blame', async () => {
  await sandbox.run('busy', stuck, { quarantine: true })
  const [runner] = sandbox.pool.stats().runners.filter(({ role }) => role === 'quarantine')
  const stat = openProcessStat(Number(runner?.pid), '/proc')
  const ranNs = () => stat.read()?.ranNs ?? 0
  const before = ranNs()
  const running = sandbox.run('busy', stuck, { quarantine: true, entry: 'stick', wrote: () => true })
  while (ranNs() - before < 50e6) await new Promise(setImmediate)
  stat.close()
  sandbox.pool.kill(runner!.id, 'rotated')
  const answer = await running
  assert.equal(!answer.ok && answer.error.message, 'rotated')
  assert.ok(!sandbox.strikes.includes('busy'))
})

test('of many calls in the fatal step each is judged by itself: only the guilty one fails', async () => {
  const handle = '(entry, input) => { if (input === 7) for (;;); return input }'
  await sandbox.run('mixed', handle, { input: '0' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => sandbox.run('mixed', handle, { input: String(n) })),
  )
  answers.forEach((answer, n) => {
    // A loop ends with its slice; on a busy machine that becomes free meanwhile, with its runner.
    if (n === 7) assert.match(answer.ok ? 'done' : answer.error.kind, /^(timeout|runner_lost)$/)
    else assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, String(n))
  })
})

test('whoever lost a runner before is judged by itself all the same', async () => {
  const handle = 'async (entry, input, call) => { await call("hold"); if (input === 1) for (;;); return input }'
  await sandbox.run('twice', handle, { input: '0', quarantine: true })
  const held: (() => void)[] = []
  const { promise: bothHeld, resolve: holdBoth } = Promise.withResolvers<void>()
  let lost = false
  let judged = false
  const serve = () =>
    new Promise<string>((resolve) => {
      held.push(() => resolve('null'))
      if (held.length === 2 && !lost) return holdBoth()
      if (held.length === 2 || judged) for (const release of held.splice(0)) release()
    })
  const call = (input: string) => sandbox.run('twice', handle, { input, serve, quarantine: true })
  const guilty = call('1').then((answer) => {
    judged = true
    for (const release of held.splice(0)) release()
    return answer
  })
  const honest = call('2')
  await bothHeld
  held.length = 0
  lost = true
  for (const id of ids('quarantine')) sandbox.pool.kill(id, 'a test')
  const answers = await Promise.all([guilty, honest])
  assert.match(answers[0].ok ? 'done' : answers[0].error.kind, /^(timeout|runner_lost)$/)
  assert.equal(answers[1].ok ? jsonOf(answers[1]) : answers[1].error.message, '2')
})

test('a client that closes costs nobody a runner', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const runnerEnd = once(server, 'connection')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const [runner] = (await runnerEnd) as [Socket]
  server.close()
  const condemned: string[] = []
  const client = createIsolateClient({
    links: {
      subscribe(listener) {
        listener({ id: 1, role: 'ordinary', socket, lost: new Promise(() => {}) })
        return () => {}
      },
      condemn: (_id, reason) => void condemned.push(reason),
    },
  })
  const left = once(runner.resume(), 'close')
  client.close()
  await left
  t.mock.timers.tick(60_000)
  assert.deepEqual(condemned, [])
})

test('a disabled installation is refused before any runner hears of it', async () => {
  const client = createIsolateClient({ links: sandbox.pool.links(), isDisabled: ({ id }) => id === 'disabled' })
  try {
    const answer = await client.call({
      installation: { id: 'disabled', app: 'disabled', version: '1', tenantId: 't' },
      loadBundle: () => assert.fail('nothing is loaded'),
      entry: 'route',
      input: 'null',
      serve: async () => 'null',
    })
    assert.equal(!answer.ok && answer.error.kind, 'quarantined')
  } finally {
    client.close()
  }
})

test('after all this one runner has each place', async () => {
  const held = () => [ids('ordinary').length, ids('quarantine').length]
  // The last one to go may not have been replaced yet.
  while (held().includes(0)) await setTimeout(10)
  assert.deepEqual(held(), [1, 1])
})

function ids(role: string): number[] {
  return sandbox.pool
    .stats()
    .runners.filter((runner) => runner.role === role)
    .map((runner) => runner.id)
}

test('a call whose runner is being replaced waits for it as long as it has time, and no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise: subscribed, resolve: subscribe } = Promise.withResolvers<(link: RunnerLink) => void>()
  const links: RunnerLinks = {
    subscribe(listener) {
      subscribe(listener)
      return () => {}
    },
    condemn() {},
  }
  const client = createIsolateClient({ links })
  try {
    const call = (name: string, wallMs: number) =>
      client.call(requestOf(name, moduleOf('() => 1'), { limits: { wallMs } }))
    const patient = call('patient', 60_000)
    const hasty = call('hasty', 1_000)
    t.mock.timers.tick(1_001)
    const refused = await hasty
    assert.equal(!refused.ok && refused.error.kind, 'runner_lost')
    const removed = call('removed', 60_000)
    client.drop('removed')
    t.mock.timers.tick(30_000)
    sandbox.pool.links().subscribe(await subscribed)
    const answer = await patient
    assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '1')
    const ended = await removed
    assert.equal(!ended.ok && ended.error.kind, 'dropped', 'what its school took away does not run once more')
    const last = call('last', 60_000)
    client.close()
    assert.ok(!(await last).ok, 'a client that closes lets nobody wait')
  } finally {
    client.close()
  }
})
