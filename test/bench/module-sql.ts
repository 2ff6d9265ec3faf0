import pg from 'pg'
import { createModuleDatabase } from '../../host/module-database/module-database.ts'
import { createStatementGuard, type StatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'
import { type BenchLine, median } from './bench-line.ts'
import { provisionWithNotes, secrets, startTestServer, type TestServer, tenantA } from '../module-database/support.ts'

const poolSize = 8
const rounds = 7
const callsPerRound = 1_500
const rowsOfTable = 1_000
const module = { slug: 'bench', sandbox: false }

type Call = (id: string) => Promise<unknown>

/**
 * A tenant-safe statement (guard, gate, row-level security, JSON for the guest) against the same row read by a prepared
 * statement with `where tenant_id = …` over node-postgres's own pool: as many sessions, one server, one run.
 */
export async function run(): Promise<BenchLine[]> {
  const server = await startTestServer()
  const guard = createGuard()
  try {
    await prepareTables(server)
    const measured: Measured[] = []
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(server, createStatementGuard(guard)))
    const middle = (pick: (round: Measured) => [number, number]) =>
      measured.map(pick).toSorted((x, y) => x[0] / x[1] - y[0] / y[1])[rounds >> 1]!
    return [
      line(
        'module-sql-median',
        middle((round) => round.median),
        { goal: 2, better: 'lower', unit: 'µs' },
      ),
      line(
        'module-sql-throughput',
        middle((round) => round.perSecond),
        { goal: 0.5, better: 'higher', unit: 'statements/s' },
      ),
    ]
  } finally {
    await guard.close()
    await server.stop()
  }
}

type Measured = { median: [ours: number, peer: number]; perSecond: [ours: number, peer: number] }

/** With new sessions each round: on which core the system puts a backend decides more than what it does. */
async function measureRound(server: TestServer, guard: StatementGuard): Promise<Measured> {
  // One tenant may take half of a pool: twice the size gives it as many sessions as the plain pool has.
  const pools = { perRole: poolSize * 2 }
  const database = createModuleDatabase({ connection: server.connection, suffix: '', secrets, guard, pools })
  const plain = new pg.Pool({ ...server.connection, user: 'test_core', password: 'core', max: poolSize })
  plain.on('error', () => {})
  const text = 'select id, title, body from note where id = $1'
  const ours: Call = (id) => database.rows(module, tenantA, { text, values: [id] })
  const plainText = 'select id, title, body from plain.note where tenant_id = $1 and id = $2'
  const peer: Call = (id) => plain.query({ name: 'one', text: plainText, values: [tenantA, id] })
  try {
    // Opens every session and warms both.
    await perSecond(ours)
    await perSecond(peer)
    return { median: await medianMicroseconds(ours, peer), perSecond: [await perSecond(ours), await perSecond(peer)] }
  } finally {
    database.close()
    await plain.end()
  }
}

async function prepareTables(server: TestServer): Promise<void> {
  await provisionWithNotes(server, 'bench')
  await server.superuser.query(`
    create schema plain;
    create table plain.note (id text not null, title text, body text, tenant_id text not null, primary key (tenant_id, id));
    insert into plain.note select 'n' || n, 'title', 'body', '${tenantA}' from generate_series(0, ${rowsOfTable - 1}) n;
    insert into m_bench.note select * from plain.note;
    analyze m_bench.note, plain.note;
    grant usage on schema plain to test_core;
    grant select on plain.note to test_core`)
}

/** Call by call in turns: whatever the machine does in between hits both alike. */
async function medianMicroseconds(ours: Call, peer: Call): Promise<[ours: number, peer: number]> {
  const times: [number[], number[]] = [[], []]
  for (let index = 0; index < callsPerRound * 2; index++) {
    const call = index % 2 ? ours : peer
    const start = process.hrtime.bigint()
    await call(`n${(index * 7) % rowsOfTable}`)
    times[index % 2 ? 0 : 1].push(Number(process.hrtime.bigint() - start) / 1_000)
  }
  return [median(times[0]), median(times[1])]
}

async function perSecond(call: Call): Promise<number> {
  let next = 0
  const start = performance.now()
  const worker = async () => {
    while (next < callsPerRound * 4) await call(`n${(next++ * 7) % rowsOfTable}`)
  }
  await Promise.all(Array.from({ length: poolSize }, worker))
  return (callsPerRound * 4 * 1_000) / (performance.now() - start)
}

function line(
  name: string,
  [ours, peer]: [number, number],
  rest: Pick<BenchLine, 'goal' | 'better' | 'unit'>,
): BenchLine {
  const round = (value: number) => Math.round(value * 100) / 100
  return { name, ratio: round(ours / peer), ours: round(ours), peer: round(peer), ...rest }
}
