import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogReader } from '../../host/cli/log-reader.ts'
import { operatorToken, startOperatorServer } from '../support/operator-server.ts'
import { createSchool, installApp } from '../support/school.ts'

const door = await startOperatorServer()
after(door.close)

const start = Date.parse('2026-11-24T10:00:00.000Z')

/** A module's log, into which lines are put as other web processes do, and what one reads of it. */
async function startLog() {
  const school = await createSchool(door.database.admin)
  const { slug } = await installApp(door.database.admin, school)
  const reader = createLogReader(async (query) => {
    const url = `/operator/logs?${new URLSearchParams({ app: slug, ...query })}`
    return (await door.server.inject({ url, headers: { authorization: `Bearer ${operatorToken}` } })).json()
  })
  return {
    /** Lines that are numbered, three at each time, in calls of two lines. */
    async write(from: number, to: number): Promise<string[]> {
      const lines = Array.from({ length: to - from }, (_, index) => from + index).map((n) => ({
        tenant_id: school.id,
        invocation_id: `call-${String(n >> 1).padStart(6, '0')}`,
        position: n % 2,
        at: new Date(start + Math.floor(n / 3)),
        app: slug,
        level: 'info',
        message: String(n),
      }))
      const text = 'insert into core.module_log select * from json_populate_recordset(null::core.module_log, $1)'
      await door.database.admin.query(text, [JSON.stringify(lines)])
      return lines.map(({ message }) => message)
    },
    async read(): Promise<string[]> {
      const messages: string[] = []
      for await (const { message } of reader.read()) messages.push(message)
      return messages
    },
  }
}

test('who follows a log reads each line once and in order, however many come between two looks', async () => {
  const { write, read } = await startLog()
  assert.deepEqual(await read(), [])
  const first = await write(0, 3_500)
  assert.deepEqual(await read(), first)
  assert.deepEqual(await read(), [])
  const second = await write(3_500, 3_505)
  assert.deepEqual(await read(), second)
})

test('a line that another web process writes late is read late, and once', async () => {
  const { write, read } = await startLog()
  await write(0, 2)
  await write(4, 9)
  assert.deepEqual(await read(), ['0', '1', '4', '5', '6', '7', '8'])
  await write(2, 4)
  assert.deepEqual(await read(), ['2', '3'])
  assert.deepEqual(await read(), [])
})

test('the first look shows the newest lines, and older ones stay left out', async () => {
  const { write, read } = await startLog()
  const all = await write(0, 500)
  assert.deepEqual(await read(), all.slice(-200))
  const [next] = await write(500, 501)
  const then = await read()
  // What was written at the very time of the first line shown cannot be told from what came late.
  assert.deepEqual(then.slice(-1), [next])
  assert.ok(then.length <= 3, String(then))
})
