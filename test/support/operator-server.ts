import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { SharedSettings } from '../../host/config.ts'
import { createServer } from '../../host/http/server.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testWebContext } from './web.ts'

export const operatorToken = 'op_test'

/** A server that takes requests by `inject`, also those of an operator, over a database of its own. */
export type OperatorServer = {
  server: FastifyInstance
  database: TestDatabase
  /** The system role's pool. */
  system: pg.Pool
  close(): Promise<void>
}

export async function startOperatorServer(
  settings: Partial<SharedSettings> = {},
  { embedded } = { embedded: true },
): Promise<OperatorServer> {
  const database = await createTestDatabase()
  const context = testWebContext(database, { settings })
  const operatorTokenHash = createHash('sha256').update(operatorToken).digest('hex')
  const server = await createServer({ ...context, operatorTokenHash, embedded })
  return {
    server,
    database,
    system: context.system,
    async close() {
      await server.close()
      await context.close()
      await database.drop()
    },
  }
}
