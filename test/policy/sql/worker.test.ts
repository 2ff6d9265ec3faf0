import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCache } from '../../../policy/sql/cache.ts'
import { createGuard } from '../../../policy/sql/worker.ts'

const options = { profile: 'runtime', schema: 'm_alpha' } as const
// What is asked here is which verdict a text gets, not how soon a loaded machine gives it.
const guard = createGuard({ timeLimitMs: 120_000 })
after(() => guard.close())

test('the thread gives the verdict of the guard', async () => {
  const [allowed, refused] = await Promise.all([
    guard.check('select 1', options),
    guard.check('do $$begin end$$', options),
  ])
  assert.equal(allowed.ok, true)
  assert.equal(refused.ok || refused.refusal.rule, 'statement')
})

test('where it is said in which schema a text will run, what passed comes in the form to send', async () => {
  const there = { ...options, runSchema: 's_alpha' }
  const verdict = await guard.check('insert into m_alpha.t (a) values (1) on conflict (a) do nothing', there)
  assert.ok(verdict.ok)
  assert.equal(
    verdict.statements[0]?.text,
    'insert into s_alpha.t (a) values (1) on conflict (tenant_id, a) do nothing',
  )
})

test("one module's many texts keep another's waiting for one of them only", async () => {
  const answered: string[] = []
  const ask = async (schema: string, n: number) => {
    await guard.check(`select ${n} as turn`, { ...options, schema })
    answered.push(schema)
  }
  const many = Array.from({ length: 20 }, (_, n) => ask('m_alpha', n))
  await Promise.all([...many, ask('m_beta', 0)])
  assert.ok(answered.indexOf('m_beta') <= 2, answered.join(' '))
})

test('a verdict once given is the same object the next time, per profile and schema', async () => {
  const first = await guard.check('select a from m_alpha.t', options)
  assert.equal(await guard.check('select a from m_alpha.t', options), first)
  const other = await guard.check('select a from m_alpha.t', { ...options, schema: 'm_beta' })
  assert.equal(other.ok || other.refusal.rule, 'schema')
})

test('sixty deep texts, some of which break the parser, leave it working for the next', async () => {
  const chains = ['+1', '::int', ' union select 1'].flatMap((link) =>
    Array.from({ length: 20 }, (_, n) => `select 1${link.repeat(Math.floor(60_000 / link.length) - n)}`),
  )
  for (const verdict of await Promise.all(chains.map((text) => guard.check(text, options)))) {
    assert.match(verdict.ok ? 'allowed' : verdict.refusal.rule, /^(depth|nodes|parser_crash|syntax)$/)
  }
  assert.equal((await guard.check('select 2', options)).ok, true)
})

test('a text over its time is refused and the next one answered', async () => {
  const slow = createGuard({ timeLimitMs: 1 })
  const many = `select ${Array.from({ length: 8_000 }, (_, n) => `a${n}`).join(',')}`
  await slow.check('select 1', options)
  const verdict = await slow.check(many, options)
  assert.equal(verdict.ok || verdict.refusal.rule, 'time')
  assert.equal((await slow.check('select 1', options)).ok, true)
  await slow.close()
})

test('a closed guard refuses what waits and what comes', async () => {
  const closing = createGuard()
  const waiting = closing.check('select 1', options)
  await closing.close()
  for (const verdict of [await waiting, await closing.check('select 1', options)]) {
    assert.equal(verdict.ok || verdict.refusal.rule, 'guard_closed')
  }
})

test('the memory of verdicts is bounded in entries and characters, and keeps what is used', () => {
  const cache = createCache<number>({ entries: 3, characters: 30 })
  for (const key of ['a', 'b', 'c']) cache.set(key, 1)
  cache.get('a')
  cache.set('d', 1)
  assert.deepEqual([cache.get('a'), cache.get('b')], [1, undefined])
  cache.set('x'.repeat(30), 1)
  assert.equal(cache.size, 1)
  cache.set('x'.repeat(31), 1)
  assert.equal(cache.size, 1)
})
