import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandbox } from './support.ts'
import { jsonOf } from './json-of.ts'

const burn =
  'async (entry) => { if (entry === "again") return 1; for (const end = Date.now() + 100; Date.now() < end; ); return 1 }'

test('what nobody waits for any more is not run: after a burst the next school is served at once', async () => {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const limits = { wallMs: 1_500 }
  try {
    // Vouched for, so that all of them meet on the one ordinary runner.
    assert.equal((await sandbox.run('first', burn, { entry: 'again' })).ok, true)
    const schools = Array.from({ length: 80 }, (_, index) => index)
    const installation = (index: number) => ({ id: `school ${index}`, app: 'first', version: '1.0.0', tenantId: 't' })
    const answers = await Promise.all(
      schools.map((index) => sandbox.run('first', burn, { installation: installation(index), limits })),
    )
    const kinds = answers.map((answer) => (answer.ok ? 'ok' : answer.error.kind))
    const late = kinds.filter((kind) => kind === 'runner_lost').length
    assert.ok(
      late > 40,
      `eight seconds of work in one and a half: most came too late, and their module is not blamed: ${JSON.stringify(kinds)}`,
    )
    const next = await sandbox.run('first', burn, { installation: installation(99), entry: 'again', limits })
    assert.equal(next.ok ? jsonOf(next) : next.error.message, '1')
  } finally {
    await sandbox.close()
  }
})

test('answers that nobody waits for any more are not rendered: who waits on after a burst is served at once', async () => {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const render = `async (entry, input, call) => {
    if (entry === 'again') return 1
    await call('rows')
    for (const end = Date.now() + 20; Date.now() < end; );
    return 1
  }`
  try {
    assert.equal((await sandbox.run('page', render, { entry: 'again' })).ok, true)
    const visits = Array.from({ length: 400 }, () => sandbox.run('page', render, { limits: { wallMs: 1_000 } }))
    const patient = sandbox.run('page', render, { limits: { wallMs: 4_000 } })
    const kinds = (await Promise.all(visits)).map((answer) => (answer.ok ? 'ok' : answer.error.kind))
    assert.ok(kinds.filter((kind) => kind !== 'ok').length > 200, `eight seconds of work in one: ${kinds.join(' ')}`)
    const answer = await patient
    assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '1')
  } finally {
    await sandbox.close()
  }
})
