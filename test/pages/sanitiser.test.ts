import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from '../../host/pages/sanitise/fair-queue.ts'
import { createSanitiser } from '../../host/pages/sanitise/sanitiser.ts'

const page = (html: string) => ({ html, slug: 'library', mobile: false })

test('schools take turns; a school’s own pages keep their order', () => {
  const queue = createFairQueue<string>()
  for (const job of ['a1', 'a2', 'a3']) queue.add('a', job)
  for (const job of ['b1', 'b2']) queue.add('b', job)
  queue.add('c', 'c1')
  const order = Array.from({ length: 7 }, () => queue.take())
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

test('one school fills half of the line at most, and the line has an end', () => {
  const queue = createFairQueue<number>()
  const fits = (tenantId: string) => Array.from({ length: 100 }, () => queue.add(tenantId, 1)).filter(Boolean).length
  assert.deepEqual([fits('a'), fits('b'), fits('c')], [32, 32, 0])
  queue.take()
  assert.equal(queue.add('c', 1), true)
})

test('what does not fit is refused as unavailable, and another school is still served', async (t) => {
  const sanitiser = createSanitiser()
  t.after(() => sanitiser.close())
  const settled = await Promise.allSettled([
    ...Array.from({ length: 60 }, () => sanitiser.clean('greedy', page('<p>x</p>'))),
    sanitiser.clean('modest', page('<p>y</p>')),
  ])
  const refused = settled.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 60 - 33, 'one in work, 32 in the line')
  assert.ok(refused.every(({ reason }) => reason.status === 503 && reason.details.retryAfter === 1))
  assert.deepEqual(settled.at(-1), { status: 'fulfilled', value: '<p>y</p>' })
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
  assert.deepEqual(third, { status: 'fulfilled', value: '<p>fine</p>' })
})
