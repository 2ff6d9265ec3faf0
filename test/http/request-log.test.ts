import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
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
