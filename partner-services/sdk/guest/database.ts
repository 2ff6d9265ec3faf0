import type { Database, Queries } from '../context.ts'
import { encodeStatement, type Sql } from '../sql.ts'
import { callHost, type HostCall } from './call.ts'

/** The module's schema for one request. */
export function bindDatabase(call: HostCall): Database {
  return {
    ...queries(call),
    async transaction(work) {
      const { tx } = await callHost<{ tx: number }>(call, 'db.begin', {})
      try {
        const result = await work(queries(call, tx))
        await callHost(call, 'db.commit', { tx })
        return result
      } catch (error) {
        // The host ends it in any case; the first error is the one that tells.
        await callHost(call, 'db.rollback', { tx }).catch(() => undefined)
        throw error
      }
    },
  }
}

function queries(call: HostCall, tx?: number): Queries {
  const send = <Result>(path: string, statement: Sql) =>
    callHost<Result>(call, path, tx === undefined ? encodeStatement(statement) : { ...encodeStatement(statement), tx })
  return {
    rows: async <Row>(statement: Sql) => send<Row[]>('db.rows', statement),
    row: async <Row>(statement: Sql) => (await send<Row[]>('db.rows', statement))[0] ?? null,
    execute: async (statement) => send<number>('db.execute', statement),
  }
}
