import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBulkWriter } from '../../host/database/bulk-writer.ts'

const away = () => Object.assign(new Error('terminating connection'), { code: '57P01' })

/** A writer over a database that fails as the test says. */
function writerTo(largestBatch: number) {
  const seen = { written: [] as number[][], problems: [] as string[], failure: null as Error | null }
  const writer = createBulkWriter<number>({
    async write(batch) {
      if (seen.failure) throw seen.failure
      seen.written.push([...batch])
    },
    withinMs: 200,
    largestBatch,
    onError: (error) => seen.problems.push((error as Error).message),
  })
  return { seen, ...writer }
}
const settled = () => new Promise((done) => setImmediate(done))

test('entries are written together, in their order, within their time or when they are many', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { seen, put } = writerTo(3)
  for (const entry of [1, 2]) put(entry)
  await settled()
  assert.deepEqual(seen.written, [])
  t.mock.timers.tick(200)
  await settled()
  for (const entry of [3, 4, 5, 6]) put(entry)
  await settled()
  assert.deepEqual(seen.written, [[1, 2], [3, 4, 5], [6]])
})

test('while the database is away nothing is lost; it is asked once a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { seen, put, flush } = writerTo(2)
  seen.failure = away()
  for (const entry of [1, 2, 3]) put(entry)
  await flush()
  for (const entry of [4, 5, 6]) put(entry)
  await settled()
  const asked = seen.problems.length
  t.mock.timers.tick(999)
  await settled()
  assert.equal(seen.problems.length, asked)
  seen.failure = null
  t.mock.timers.tick(1)
  await settled()
  await flush()
  assert.deepEqual(seen.written, [
    [1, 2],
    [3, 4],
    [5, 6],
  ])
})

test('a batch that is refused is told, and the next is written', async () => {
  const { seen, put, flush } = writerTo(10)
  seen.failure = new Error('no such column')
  put(1)
  await flush()
  seen.failure = null
  put(2)
  await flush()
  assert.deepEqual(seen, { written: [[2]], problems: ['no such column'], failure: null })
})

test('what no longer fits is counted and told', async () => {
  const { seen, put, flush } = writerTo(1_000_000)
  for (let entry = 0; entry < 100_003; entry++) put(entry)
  await flush()
  assert.equal(seen.written.flat().length, 100_000)
  assert.deepEqual(seen.problems, ['3 entries are lost: the database was away for too long'])
})
