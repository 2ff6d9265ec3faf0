import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { prepareDatabase } from '../../host/database/prepare.ts'
import { sealWebhookSecret } from '../../host/events/webhook-secret.ts'
import { testHostKey } from '../support/cluster.ts'
import { createSchool, installApp } from '../support/school.ts'
import type { FaultProcess } from './fault-process.ts'
import { type FaultReceiver, misbehaviours, type Note, startFaultReceiver } from './fault-receivers.ts'
import { cipher, studentEvents } from './support.ts'

export type FaultReport = {
  /** Ids of the students that the API answered for. */
  created: string[]
  receivers: { kind: string; notes: Note[] }[]
  /** When a process was killed or the database stopped. */
  faults: number[]
  /** Deliveries with an attempt that the platform gave up, whatever the receiver thinks of it. */
  timedOut: string[]
  open: number
  states: Record<string, number>
}

/** `strikeEvery`: the mean time between two faults, in milliseconds. */
export type FaultOptions = { events: number; longest: number; strikeEvery: number }

const secret = 'whsec_faults'
const script = fileURLToPath(new URL('./fault-process.ts', import.meta.url))
const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/** Time runs this much faster: retries after 30 s come after 1.5 s, leases end after 3 s. */
const speed = 20

/**
 * Creates students over HTTP while a web process and two workers are killed at random moments and the database is
 * restarted twice, towards receivers that hang, cut, answer slowly, redirect and lie. Then waits until nothing is open.
 */
export async function runFaults({ events, longest, strikeEvery }: FaultOptions): Promise<FaultReport> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-faults-'))
  let embedded: EmbeddedDatabase = await startEmbeddedDatabase(folder)
  const database = 'faults'
  const connection = await prepareDatabase(embedded.superuser, { hostKey: testHostKey, database, embedded: true })
  const admin = new pg.Pool({ ...embedded.superuser, database, max: 2 })
  admin.on('error', () => {})
  const receivers = await Promise.all(misbehaviours.map((kind) => startFaultReceiver(kind, secret)))
  const token = await installReceivers(admin, receivers)

  const faults: number[] = []
  const startedAt = Date.now()
  const launch = (role: FaultProcess['role']) => launchProcess({ role, connection, startedAt, speed })
  const processes = {
    web: await launch('web'),
    workers: await Promise.all([launch('worker'), launch('worker')]),
  }
  const created: string[] = []
  const deadline = startedAt + longest
  let restarts = 0

  async function restartDatabase(): Promise<void> {
    faults.push(Date.now())
    await embedded.stop()
    embedded = await startEmbeddedDatabase(folder)
    faults.push(Date.now())
  }

  async function strike(): Promise<void> {
    if (restarts < 2 && created.length > ((restarts + 1) * events) / 3) {
      restarts++
      return restartDatabase()
    }
    faults.push(Date.now())
    const which = Math.floor(Math.random() * 3)
    const victim = which === 2 ? processes.web : processes.workers[which]!
    if (victim.child.exitCode !== null) throw new Error(`a ${which === 2 ? 'web process' : 'worker'} ended by itself`)
    const gone = once(victim.child, 'exit')
    victim.child.kill('SIGKILL')
    await gone
    if (which === 2) processes.web = await launch('web')
    else processes.workers[which] = await launch('worker')
    faults.push(Date.now())
  }

  try {
    const creating = createStudents(events, () => processes.web.line, token, created, deadline)
    while (created.length < events && Date.now() < deadline) {
      await pause(strikeEvery * (0.5 + Math.random()))
      await strike()
    }
    await creating
    while (restarts < 2) {
      restarts++
      await restartDatabase()
    }
    let open = await openDeliveries(admin)
    while (open > 0 && Date.now() < deadline) {
      await pause(100)
      open = await openDeliveries(admin)
    }
    const { rows } = await admin.query<{ state: string; count: number }>(
      'select state, count(*)::int as count from core.deliveries group by state',
    )
    const states = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    const late = await admin.query<{ id: string }>(
      `select delivery_id as id from core.delivery_attempts where error = 'no answer in time'`,
    )
    const timedOut = late.rows.map(({ id }) => id)
    return { created, receivers: receivers.map(({ kind, notes }) => ({ kind, notes })), faults, timedOut, open, states }
  } finally {
    for (const { child } of [processes.web, ...processes.workers]) child.kill('SIGKILL')
    for (const { receiver } of receivers) await receiver.close()
    await admin.end()
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function launchProcess(settings: FaultProcess): Promise<{ child: ChildProcess; line: string }> {
  const args = ['--no-node-snapshot', '--disable-warning=ExperimentalWarning', script, JSON.stringify(settings)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, line: first.toString().trim() }
}

async function installReceivers(admin: pg.Pool, receivers: FaultReceiver[]): Promise<string> {
  const school = await createSchool(admin)
  for (const { receiver } of receivers) {
    const { slug } = await installApp(admin, school)
    const { rows } = await admin.query<{ id: string }>('select id from core.apps where slug = $1', [slug])
    await admin.query(
      'update core.apps set webhook_url = $2, webhook_events = $3, webhook_secret_encrypted = $4 where id = $1',
      [rows[0]!.id, receiver.url, studentEvents, sealWebhookSecret(cipher, rows[0]!.id, secret)],
    )
  }
  return (await installApp(admin, school)).token
}

/** Eight callers, each trying again under the same idempotency key until it has an answer. */
async function createStudents(count: number, url: () => string, token: string, created: string[], deadline: number) {
  let next = 0
  const caller = async () => {
    for (let number = next++; number < count && Date.now() < deadline; number = next++) {
      for (let id: string | null = null; id === null && Date.now() < deadline; ) {
        id = await createStudent(url(), token, number)
        if (id) created.push(id)
        else await pause(20)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
}

async function createStudent(url: string, token: string, number: number): Promise<string | null> {
  try {
    const response = await fetch(`${url}/apps/education/students`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `student-${number}`,
      },
      body: JSON.stringify({ full_name: `Student ${number}` }),
      signal: AbortSignal.timeout(3_000),
    })
    if (response.status !== 201) return null
    return ((await response.json()) as { student: { id: string } }).student.id
  } catch {
    return null
  }
}

async function openDeliveries(admin: pg.Pool): Promise<number> {
  try {
    const { rows } = await admin.query<{ open: number }>(
      'select count(*)::int as open from core.deliveries where due_at is not null',
    )
    return rows[0]!.open
  } catch {
    return -1
  }
}
