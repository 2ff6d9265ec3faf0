import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { sealWebhookSecret } from '../../host/events/webhook-secret.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { createSchool, installApp } from '../support/school.ts'
import type { StartFleet } from './fault-fleet.ts'
import { type FaultReceiver, misbehaviours, type Note, startFaultReceiver } from './fault-receivers.ts'
import { createStudents } from './fault-writers.ts'
import { studentEvents } from './support.ts'

export type FaultReport = {
  /** Ids of the students that the API answered for. */
  created: string[]
  receivers: { kind: string; notes: Note[]; followed: number }[]
  /** From when a process was killed or the database stopped until all was up again. */
  faults: { from: number; to: number }[]
  kills: number
  /** Deliveries with an attempt that the platform gave up, whatever the receiver thinks of it. */
  timedOut: string[]
  open: number
  states: Record<string, number>
}

export type FaultOptions = {
  events: number
  /** Milliseconds until the run is given up. */
  longest: number
  /** The mean time between two faults, in milliseconds. */
  strikeEvery: number
  /** One of this many first attempts goes wrong. */
  misbehaveOneOf: number
  startFleet: StartFleet
}

const secret = 'whsec_faults'
const restartsWanted = 2
const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/**
 * Creates students over HTTP while processes are killed at random moments and the database is restarted twice, towards
 * receivers that hang, cut, answer slowly, redirect and lie. Then waits until nothing is open.
 */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { events, strikeEvery } = options
  const folder = mkdtempSync(join(tmpdir(), 'partner-faults-'))
  chmodSync(folder, 0o755)
  let embedded: EmbeddedDatabase = await startEmbeddedDatabase(folder)
  const admin = await openDatabase(embedded)
  const receivers = await Promise.all(
    misbehaviours.map((kind) => startFaultReceiver(kind, secret, options.misbehaveOneOf)),
  )
  const fleet = await options.startFleet({ ...embedded.superuser, database })
  const deadline = Date.now() + options.longest
  const faults: FaultReport['faults'] = []
  let [restarts, kills] = [0, 0]

  async function strike(fault: () => Promise<void>): Promise<void> {
    const from = Date.now()
    await fault()
    faults.push({ from, to: Date.now() })
  }

  async function restartDatabase(): Promise<void> {
    restarts++
    await strike(async () => {
      await embedded.stop()
      embedded = await startEmbeddedDatabase(folder)
    })
  }

  try {
    const token = await installReceivers(admin, receivers, fleet.cipher)
    const created: string[] = []
    const creating = createStudents({ count: events, url: fleet.url, token, created, deadline })
    const few = (events * receivers.length) / 100
    while (Date.now() < deadline && (created.length < events || (await openDeliveries(admin)) > few)) {
      await pause(strikeEvery * (0.5 + Math.random()))
      const isTime = created.length > ((restarts + 1) * events) / (restartsWanted + 1)
      if (restarts < restartsWanted && isTime) await restartDatabase()
      else {
        kills++
        await strike(fleet.kill)
      }
    }
    await creating
    while (restarts < restartsWanted) await restartDatabase()
    let open = await openDeliveries(admin)
    while (open !== 0 && Date.now() < deadline) {
      await pause(100)
      open = await openDeliveries(admin)
    }
    return { created, receivers, faults, kills, open, ...(await outcome(admin)) }
  } finally {
    await fleet.stop()
    for (const { receiver } of receivers) await receiver.close()
    await admin.end()
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const database = 'faults'

/** An empty database, as its superuser. */
async function openDatabase({ superuser }: EmbeddedDatabase): Promise<pg.Pool> {
  const client = new pg.Client(superuser)
  await client.connect()
  await client.query(`create database ${database}`)
  await client.end()
  const admin = new pg.Pool({ ...superuser, database, max: 2 })
  admin.on('error', () => {})
  return admin
}

async function installReceivers(admin: pg.Pool, receivers: FaultReceiver[], cipher: Cipher): Promise<string> {
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

/** Any number while the database does not answer. */
async function openDeliveries(admin: pg.Pool): Promise<number> {
  try {
    const { rows } = await admin.query<{ open: number }>(
      'select count(*)::int as open from core.deliveries where due_at is not null',
    )
    return rows[0]!.open
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

async function outcome(admin: pg.Pool): Promise<Pick<FaultReport, 'states' | 'timedOut'>> {
  const { rows } = await admin.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from core.deliveries group by state',
  )
  const late = await admin.query<{ id: string }>(
    `select delivery_id as id from core.delivery_attempts where error = 'no answer in time'`,
  )
  return {
    states: Object.fromEntries(rows.map(({ state, count }) => [state, count])),
    timedOut: late.rows.map(({ id }) => id),
  }
}
