import { ulid } from 'ulid'
import { startWebProcess } from '../http/support/web-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, installApp, type School } from '../support/school.ts'
import { type BenchLine, median } from './bench-line.ts'
import { type Load, measure } from './support/load.ts'
import { startPeer } from './support/peer.ts'

const rounds = 5
/** Of each side, in seconds, before anything is measured: V8 optimises for about so long what a server does all day. */
const warmUp = 4
/** Where most of it is warm already. */
const shortWarmUp = 1
const students = 2_000

/** The runtime API against a hand-written Fastify server over the same statements, each in a process of its own. */
export async function run(): Promise<BenchLine[]> {
  const database = await createTestDatabase()
  const school = await createSchool(database.admin)
  const studentId = await fill(database, school)
  const { token } = await installApp(database.admin, school)
  const tokensOf = async (count: number, rateLimited: boolean) =>
    (await Promise.all(Array.from({ length: count }, () => installApp(database.admin, school, { rateLimited })))).map(
      (app) => app.token,
    )
  // Each may send 60 requests a minute: enough of them that no round meets the limit.
  const [limited, unlimited, writers] = [
    await tokensOf(2_000, true),
    await tokensOf(2_000, false),
    await tokensOf(1_500, true),
  ]
  const web = await startWebProcess(database)
  const peer = await startPeer(database.superuser, school.id)
  const mine = (path: string, rest: Partial<Load> = {}): Load => ({
    url: `${web.url}/apps${path}`,
    seconds: 1,
    tokens: [token],
    ...rest,
  })
  const theirs = (path: string, rest: Partial<Load> = {}): Load => ({ url: `${peer.url}${path}`, seconds: 1, ...rest })
  const write = { method: 'POST', body: JSON.stringify({ full_name: 'Load' }) } as const
  const one = `/education/students/${studentId}`
  try {
    return [
      await compare('api-whoami', 0.5, mine('/whoami'), theirs('/constant')),
      await compare('api-student', 0.7, mine(one), theirs(`/students/${studentId}`), warmUp),
      await compare('api-list-of-20', 0.8, mine('/education/students'), theirs('/students')),
      await compare(
        'api-create',
        0.5,
        mine('/education/students', { ...write, tokens: writers, keyed: true }),
        theirs('/students', write),
      ),
      await compareLatency(
        'api-rate-limit-latency',
        1.5,
        mine(one, { tokens: limited, connections: 4 }),
        mine(one, { tokens: unlimited, connections: 4 }),
      ),
    ]
  } finally {
    await Promise.all([web.stop(), peer.stop()])
    await database.drop()
  }
}

async function fill({ admin }: TestDatabase, { id }: School): Promise<string> {
  const first = ulid()
  await admin.query(
    `insert into core.students (tenant_id, id, full_name, national_id) values ($1, $2, 'طالب أول', '1098765432')`,
    [id, first],
  )
  await admin.query(
    `insert into core.students (tenant_id, id, full_name) select $1, '02' || lpad(n::text, 24, '0'), 'طالب رقم ' || n from generate_series(1, $2) n`,
    [id, students - 1],
  )
  await admin.query('vacuum analyze core.students')
  return first
}

const rounded = (value: number) => Math.round(value * 1_000) / 1_000

/** Alternating rounds, once both sides are warm. */
async function alternate(ours: Load, peer: Load, warmUpSeconds: number) {
  const pairs = []
  for (const load of [ours, peer]) await measure({ ...load, seconds: warmUpSeconds })
  for (let round = 0; round < rounds; round++) {
    const pair = { ours: await measure(ours), peer: await measure(peer) }
    for (const { statuses } of [pair.ours, pair.peer]) {
      if (Object.keys(statuses).some((status) => !status.startsWith('2')))
        throw new Error(`answers ${JSON.stringify(statuses)}`)
    }
    pairs.push(pair)
  }
  return pairs
}

async function compare(name: string, goal: number, ours: Load, peer: Load, seconds = shortWarmUp): Promise<BenchLine> {
  const pairs = await alternate(ours, peer, seconds)
  return {
    name,
    ratio: rounded(median(pairs.map((pair) => pair.ours.perSecond / pair.peer.perSecond))),
    goal,
    better: 'higher',
    ours: Math.round(median(pairs.map((pair) => pair.ours.perSecond))),
    peer: Math.round(median(pairs.map((pair) => pair.peer.perSecond))),
    unit: 'requests/s',
  }
}

/** Mean time of a request: connections over throughput, since each connection has one request under way. */
async function compareLatency(name: string, goal: number, ours: Load, peer: Load): Promise<BenchLine> {
  const pairs = await alternate(ours, peer, shortWarmUp)
  const milliseconds = (perSecond: number) => (1_000 * (ours.connections ?? 1)) / perSecond
  return {
    name,
    ratio: rounded(median(pairs.map((pair) => pair.peer.perSecond / pair.ours.perSecond))),
    goal,
    better: 'lower',
    ours: rounded(milliseconds(median(pairs.map((pair) => pair.ours.perSecond)))),
    peer: rounded(milliseconds(median(pairs.map((pair) => pair.peer.perSecond)))),
    unit: 'ms',
  }
}
