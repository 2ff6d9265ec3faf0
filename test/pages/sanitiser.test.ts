import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from '../../host/pages/sanitise/fair-queue.ts'
import { createSanitiser } from '../../host/pages/sanitise/sanitiser.ts'

const page = (html: string) => ({ html, slug: 'library', mobile: false, url: '/m/library' })

function queueOf(sizeOf: (job: string) => number = () => 1) {
  const late: string[] = []
  const clock = { now: 0 }
  const queue = createFairQueue<string>({ sizeOf, late: (job) => late.push(job), now: () => clock.now })
  return { ...queue, late, clock }
}

test('schools take turns; a school’s own pages keep their order', () => {
  const queue = queueOf()
  for (const job of ['a1', 'a2', 'a3']) queue.add('a', job)
  for (const job of ['b1', 'b2']) queue.add('b', job)
  queue.add('c', 'c1')
  const order = Array.from({ length: 7 }, () => queue.take())
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

test('one school fills half of the line at most, and the line has an end: 64 of the largest pages', () => {
  const queue = queueOf(() => 262_144)
  const fits = (tenantId: string) => Array.from({ length: 100 }, () => queue.add(tenantId, 'x')).filter(Boolean).length
  assert.deepEqual([fits('a'), fits('b'), fits('c')], [32, 32, 0])
  queue.take()
  assert.equal(queue.add('c', 'x'), true)
})

test('however small its pages are, a school has an end to them', () => {
  const queue = queueOf(() => 1)
  let fit = 0
  while (fit < 10_000 && queue.add('a', 'x')) fit++
  assert.equal(fit, 2_048)
  while (queue.take()) fit--
  assert.equal(fit, 0)
  assert.equal(queue.add('a', 'x'), true)
})

test('a page that waited for more than five seconds is refused in its turn, and the next one served', () => {
  const queue = queueOf()
  queue.add('a', 'early')
  queue.clock.now = 1_000
  queue.add('a', 'later')
  queue.clock.now = 5_001
  assert.equal(queue.take(), 'later')
  assert.deepEqual(queue.late, ['early'])
})

test('a class that opens a page at once gets it; what does not fit is refused, and another school served', async (t) => {
  const sanitiser = createSanitiser()
  t.after(() => sanitiser.close())
  const clean = (school: string, html: string) => sanitiser.clean(school, page(html))
  await clean('warm', '<p>x</p>')
  const ofClass = await Promise.allSettled(Array.from({ length: 60 }, () => clean('lively', '<p>x</p>')))
  assert.deepEqual(new Set(ofClass.map(({ status }) => status)), new Set(['fulfilled']))

  const large = `<p>${'x'.repeat(262_000)}</p>`
  const settled = await Promise.allSettled([
    ...Array.from({ length: 60 }, () => clean('greedy', large)),
    clean('modest', '<p>y</p>'),
  ])
  const refused = settled.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 60 - 33, 'one in work, 32 in the line')
  assert.ok(refused.every(({ reason }) => reason.status === 503 && reason.details.retryAfter === 1))
  assert.deepEqual(settled.at(-1), { status: 'fulfilled', value: { html: '<p>y</p>', removed: null } })
})

test('after a page that works too long the next one is served', async (t) => {
  const sanitiser = createSanitiser()
  t.after(() => sanitiser.close())
  const slow = '<a href="'.concat('&amp;'.repeat(50_000), '">').slice(0, 262_000)
  const deep = `${'<p title="a" class="card badge">&amp;<b>x</b></p>'.repeat(5_500)}`
  const [first, second, third] = await Promise.allSettled(
    [slow, deep, '<p>fine</p>'].map((html) => sanitiser.clean('a', page(html))),
  )
  for (const one of [first, second]) assert.ok(one!.status === 'fulfilled' || one!.reason.name === 'HtmlRefused')
  assert.deepEqual(third, { status: 'fulfilled', value: { html: '<p>fine</p>', removed: null } })
})
