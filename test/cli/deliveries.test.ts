import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAnswer, partner } from './partner.ts'

/** What a verb prints on an answer of the host, and what it asked with. */
async function verb(args: string[], answer: object | string, status = 200) {
  const { url, asked, settings } = await oneAnswer(answer, status)
  const { code, stdout, stderr } = await partner([...args, '--app', 'mine', '--url', url], '', settings)
  assert.equal(code, 0, stderr)
  return { asked: await asked, stdout }
}

const id = '01a2052a-f111-7472-a7d3-be3b49d67059'
const paused_at = '2026-02-02T00:00:00.000Z'
const pause = `the endpoint is paused since ${paused_at}: partner webhook resume --app mine sends what waits\n`

test('what a paused endpoint is to be sent waits, and each verb says so and what ends the pause', async () => {
  const page = { data: [], total: 0, per_page: 20, current_page: 1, last_page: 1 }
  const webhook = { url: 'https://r.test/', events: ['a', 'b'], failing_since: '2026-01-28T00:00:00.000Z' }
  for (const [args, answer, whenPaused, else_] of [
    [['webhook', 'test'], { delivery: { id } }, `${id} waits\n`, `${id} is on its way\n`],
    [['deliveries', 'replay', id], { replayed: [id] }, `${id} waits\n`, `${id} is sent again\n`],
    [['deliveries', 'recover', '--since', 'x'], { recovered: 2 }, '2 wait\n', '2 are sent again\n'],
    [['deliveries', 'list'], page, '0 of 0\n', '0 of 0\n'],
  ] as const) {
    assert.equal((await verb([...args], { ...answer, paused_at })).stdout, whenPaused + pause)
    assert.equal((await verb([...args], { ...answer, paused_at: null })).stdout, else_)
  }
  const shown = async (more: object) => (await verb(['webhook', 'show'], { webhook: { ...webhook, ...more } })).stdout
  const lines = 'https://r.test/\na, b\nfails since 2026-01-28T00:00:00.000Z\n'
  assert.equal(await shown({ paused_at }), lines + pause)
  assert.equal(await shown({ paused_at: null }), lines)
  assert.equal(await shown({ paused_at: null, failing_since: null, url: null, events: [] }), 'no webhook\n')
  assert.deepEqual((await verb(['deliveries', 'recover', '--since', 'x'], { recovered: 0 })).asked, { since: 'x' })
  assert.equal((await verb(['webhook', 'resume'], '', 204)).stdout, 'mine is sent again what waited\n')
})

test('a delivery that is not sent again is named, and the verb fails', async () => {
  const [sent, left] = ['01a2052a-f111-7472-a7d3-be3b49d67059', '01a2052a-f0c8-705a-a6bf-46759760f76c']
  const replay = async (replayed: string[], ...more: string[]) => {
    const { url, settings } = await oneAnswer({ replayed })
    return partner(['deliveries', 'replay', sent, left, '--app', 'mine', '--url', url, ...more], '', settings)
  }
  const all = await replay([sent, left])
  assert.deepEqual([all.code, all.stdout], [0, `${sent} is sent again\n${left} is sent again\n`])
  const some = await replay([sent])
  assert.equal(some.code, 1)
  assert.match(some.stderr, new RegExp(`^partner: not sent again: ${left}\\. .*\n  replayed: ${sent}\n$`))
  const none = await replay([], '--json')
  assert.deepEqual([none.code, JSON.parse(none.stdout).replayed], [1, []])
})

test('deliveries are listed by the page, and what is shown says of how many', async () => {
  const one = { id: '01a2052a', event: 'e', state: 'terminal', created_at: '2026-02-02T00:00:00.000Z' }
  const list = async (last_page: number, ...more: string[]) => {
    const page = { data: [one], total: last_page, per_page: 1, current_page: last_page, last_page }
    const { url, asked, settings } = await oneAnswer(page)
    const listed = await partner(['deliveries', 'list', '--app', 'mine', '--url', url, ...more], '', settings)
    assert.equal(listed.code, 0, listed.stderr)
    return { asked: await asked, last: listed.stdout.trim().split('\n').at(-1) }
  }
  const path = '/partners/api/apps/mine/deliveries?'
  assert.deepEqual(await list(1), { asked: path, last: '1 of 1' })
  assert.deepEqual(await list(3, '--state', 'terminal', '--page', '3', '--per-page', '1'), {
    ...{ asked: `${path}state=terminal&page=3&per_page=1`, last: '1 of 3, page 3 of 3' },
  })
})
