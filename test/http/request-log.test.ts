import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import pg from 'pg'
import { requestLog } from '../../host/http/request-log.ts'
import { createLogger } from '../../host/log.ts'

test("a request's lines carry its id, its children's too, and nothing is made for a request that logs nothing", async () => {
  const lines: Record<string, unknown>[] = []
  const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let made = 0
  const server = fastify({
    loggerInstance: logger,
    disableRequestLogging: true,
    genReqId: () => 'the-id',
    childLoggerFactory(...of) {
      return requestLog.call(this, Object.assign(Object.create(of[0]), { child: counted }), of[1], of[2], of[3])
    },
  })
  function counted(...of: Parameters<typeof logger.child>) {
    made++
    return logger.child(...of)
  }
  server.get('/quiet', async () => 'quiet')
  server.get('/loud', async ({ log }) => {
    log.warn({ token: 'secret', n: 1 }, 'loud')
    log.debug('not at this level')
    log.child({ part: 'inner' }).error('inner')
    return log.level
  })
  await server.inject('/quiet')
  assert.equal(made, 0)
  assert.equal((await server.inject('/loud')).body, 'info')
  assert.equal(made, 1)
  assert.deepEqual(
    lines.map(({ level, reqId, msg, part, token }) => ({ level, reqId, msg, part, token })),
    [
      { level: 40, reqId: 'the-id', msg: 'loud', part: undefined, token: '********' },
      { level: 50, reqId: 'the-id', msg: 'inner', part: 'inner', token: undefined },
    ],
  )
  await server.close()
})

test('what a database error quotes of a row is in no line; its message and its codes are', () => {
  const lines: { err: Record<string, unknown> }[] = []
  const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const error = Object.assign(new pg.DatabaseError('duplicate key value', 0, 'error'), {
    ...{ code: '23505', constraint: 'students_national_id' },
    ...{ detail: 'Key (national_id)=(1100000000) already exists.', where: 'COPY students, line 1: "1100000000"' },
    internalQuery: `select '1100000000'`,
  })
  logger.error(error)
  logger.warn({ err: error }, 'of a job')
  assert.equal(lines.length, 2)
  for (const line of lines) {
    assert.ok(!JSON.stringify(line).includes('1100000000'))
    const { message, code, constraint } = line.err
    assert.deepEqual([message, code, constraint], ['duplicate key value', '23505', 'students_national_id'])
  }
})
