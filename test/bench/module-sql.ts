import pg from 'pg'
import { createModuleDatabase } from '../../host/module-database/module-database.ts'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { asOwner, provisionWithNotes, secrets, startTestServer, tenantA } from '../module-database/support.ts'

export type BenchLine = {
  name: string
  ratio: number
  goal: number
  better: 'higher' | 'lower'
  ours: number
  peer: number
  unit: string
}

const poolSize = 8
const rounds = 5
const calls = 2_000

/**
 * A tenant-safe statement (guard, gate, row-level security, JSON for the guest) against the same rows read by a plain
 * prepared statement with `where tenant_id = …` over node-postgres, both on pools of the same size, in one run.
 */
export async function run(): Promise<BenchLine[]> {
  const server = await startTestServer()
  const guard = createGuard()
  try {
    await provisionWithNotes(server, 'bench')
    await asOwner(server, 'bench', 'live', plainTable)
    const database = createModuleDatabase({
      connection: server.connection,
      suffix: '',
      secrets,
      guard: createStatementGuard(guard),
      // One tenant may take half of a pool: twice the size gives it as many sessions as the plain pool has.
      pools: { perRole: poolSize * 2 },
    })
    const plain = new pg.Pool({ ...server.superuser, ...(server.plain as pg.PoolConfig), max: poolSize })
    for (let id = 0; id < 1_000; id++) {
      await database.execute(module, tenantA, { text: 'insert into note (id, title, body) values ($1, $2, $3)', values: [`n${id}`, 'title', 'body'] })
    }
    await server.superuser.query('insert into m_bench.plain_note select id, title, body, tenant_id from m_bench.note')
    await server.superuser.query('analyze m_bench.note, m_bench.plain_note')
    const ours = (id: string) => database.rows(module, tenantA, { text: 'select id, title, body from note where id = $1', values: [id] })
    const peer = (id: string) => plain.query({ name: 'one', text: plainText, values: [tenantA, id] })
    const lines = [await latency(ours, peer), await throughput(ours, peer)]
    database.close()
    await plain.end()
    return lines
  } finally {
    await guard.close()
    await server.stop()
  }
}
