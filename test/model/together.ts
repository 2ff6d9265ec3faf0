import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ulid } from 'ulid'
import { openEventData } from '../../host/events/event-data.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../host/events/webhook-secret.ts'
import { createRandom, type Random } from '../../host/seeds/random.ts'
import { cipher, studentEvents } from '../events/support.ts'
import { createSchool, type InstalledApp, installApp } from '../support/school.ts'
import { type Done, isLinear, type State } from './linear.ts'
import type { Answer, Asked, World } from './world.ts'

const clients = 4
const callsOfEach = 5
const path = '/apps/education/students'
/** On a slow machine a web process needs seconds to have its connections again. */
const patienceMs = 30_000

/** Does harm until it is stopped. */
export type Harm = (world: World, random: Random, isOver: () => boolean) => Promise<void>

/**
 * Ends two connections of the web processes every few milliseconds: in half to five times what it takes to open one just then.
 * On a slow machine connections would else be cut before they are open, and nothing would ever be done.
 */
export const cutConnections: Harm = async ({ database }, random, isOver) => {
  while (!isOver()) {
    const began = performance.now()
    const session = new pg.Client(database.connection.system)
    await session.connect()
    const openMs = Math.max(5, performance.now() - began)
    await session.end()
    await pause(openMs / 2 + random.integer(5 * openMs))
    await database.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename like 'partner\\_%' order by random() limit 2`)
  }
}

type Turns = { world: World; app: InstalledApp; id: string; calls: Done[]; created: string[]; isHarmed: boolean }

/**
 * Several clients at once at one student of a fresh school, and students that they add, through two web processes. Rejects
 * where no order explains what they were answered, where a change is done twice or an event is missing or out of order.
 */
export async function takeTurns(world: World, seed: number, harm?: Harm): Promise<void> {
  const random = createRandom(seed)
  const { admin } = world.database
  const app = await installApp(admin, await createSchool(admin))
  await subscribe(world, app)
  const first: State = { full_name: 'A', national_id: null }
  const made = await send(world, 0, path, { ...asking(app), method: 'POST', body: first, ...under(ulid()) })
  const turns: Turns = { world, app, id: made.body.student.id, calls: [], created: [], isHarmed: harm !== undefined }
  let isOver = false
  const harmed = harm?.(world, random, () => isOver)
  const seeds = Array.from({ length: clients }, () => random.integer(2 ** 31))
  await Promise.all(seeds.map((own) => takeTurn(turns, createRandom(own)))).finally(() => {
    isOver = true
  })
  await harmed
  const { rows } = await admin.query<State>('select full_name, national_id from core.students where id = $1', [
    turns.id,
  ])
  const last = rows[0]!
  assert.ok(isLinear(turns.calls, first, last), `no order explains ${JSON.stringify([turns.calls, last])}`)
  await compareEvents(turns, last)
  await compareAccesses(turns)
}

const asking = ({ token }: InstalledApp): Asked => ({ token })
const under = (key: string): Asked => ({ headers: { 'idempotency-key': key } })

async function subscribe({ database }: World, { slug }: InstalledApp): Promise<void> {
  const { rows } = await database.admin.query<{ id: string }>('select id from core.apps where slug = $1', [slug])
  const { id } = rows[0]!
  await database.admin.query(
    'update core.apps set webhook_url = $2, webhook_events = $3, webhook_secret_encrypted = $4 where id = $1',
    [id, 'https://a.example/hooks', studentEvents, sealWebhookSecret(cipher, id, newWebhookSecret())],
  )
}

/** Tries again while the answer says that this helps. Any other refusal rejects. */
async function send(world: World, web: number, to: string, asked: Asked): Promise<Answer> {
  const end = performance.now() + patienceMs
  for (let tries = 0; ; tries++) {
    const answer = await world.ask(web + tries, to, asked)
    if (answer.status < 300) return answer
    const isPassing = answer.status === 503 || answer.body.error === 'idempotency_in_progress'
    assert.ok(isPassing && performance.now() < end, `${answer.status} ${JSON.stringify(answer.body)}`)
    await pause(2)
  }
}

async function takeTurn(turns: Turns, random: Random): Promise<void> {
  for (let count = 0; count < callsOfEach; count++) {
    if (random.integer(6) === 0) await addStudent(turns, random)
    else await callStudent(turns, random)
  }
}

async function addStudent({ world, app, created }: Turns, random: Random): Promise<void> {
  const key = ulid()
  const body = { full_name: `New ${key}` }
  const answer = await send(world, random.integer(2), path, { ...asking(app), method: 'POST', body, ...under(key) })
  created.push(answer.body.student.id)
}

/** Only a write with a key may be sent again where it is not known what came of it. */
async function callStudent({ world, app, id, calls, isHarmed }: Turns, random: Random): Promise<void> {
  const set = changeOf(random)
  const isKeyed = isHarmed || random.integer(2) === 0
  const change: Asked = set ? { method: 'PATCH', body: set, ...(isKeyed ? under(ulid()) : {}) } : {}
  const from = performance.now()
  const { body } = await send(world, random.integer(2), `${path}/${id}`, { ...asking(app), ...change })
  const { full_name, national_id } = body.student
  calls.push({ from, to: performance.now(), set, seen: { full_name, national_id } })
}

/** Of few values, so that many a change is none. */
function changeOf(random: Random): Partial<State> | null {
  const names: Partial<State> = { full_name: random.pick(['A', 'B', 'C']) }
  const numbers: Partial<State> = { national_id: random.pick(['1', '2', null]) }
  return random.pick([names, names, numbers, { ...names, ...numbers }, null])
}

type EventRow = { id: string; name: string; record_id: string; created_at: Date; data_encrypted: Buffer }

/** One for each change, in the order of the changes, the last one with what the record holds. */
async function compareEvents({ world, app, id, created }: Turns, last: State): Promise<void> {
  const { rows } = await world.database.admin.query<EventRow>(
    `select e.id, e.name, e.record_id, e.created_at, e.data_encrypted from core.deliveries d
      join core.events e on e.tenant_id = d.tenant_id and e.id = d.event_id where d.tenant_id = $1 order by d.position`,
    [app.tenantId],
  )
  const own = rows.filter(({ record_id }) => record_id === id)
  const states = own.map((row): State => {
    const text = openEventData(cipher, app.tenantId, row.id, row.data_encrypted)
    return JSON.parse(text).student
  })
  assert.deepEqual([own[0]!.name, states.at(-1)], ['education.students.created', { ...states.at(-1), ...last }])
  for (const [index, row] of own.slice(1).entries()) {
    assert.notDeepEqual(states[index + 1], states[index], 'an event without a change')
    assert.ok(row.created_at >= own[index]!.created_at, 'created_at in order')
  }
  const others = rows.filter(({ record_id }) => record_id !== id).map(({ record_id }) => record_id)
  assert.deepEqual(others.toSorted(), created.toSorted(), 'one event for each new student')
  const students = await world.database.admin.query<{ id: string }>(
    'select id from core.students where tenant_id = $1',
    [app.tenantId],
  )
  assert.deepEqual(students.rows.map((row) => row.id).toSorted(), [id, ...created].toSorted(), 'nobody twice')
}

/** Each answered call is in the access log; only what was tried again may be there more than once. */
async function compareAccesses({ world, app, id, calls, created, isHarmed }: Turns): Promise<void> {
  const changes = calls.filter(({ set }) => set).length
  const answered = [
    ...Array.from({ length: changes }, () => `update ${id}`),
    ...Array.from({ length: calls.length - changes }, () => `get ${id}`),
    ...[id, ...created].map((one) => `create ${one}`),
  ]
  const countOf = (lines: string[], line: string) => lines.filter((one) => one === line).length
  const isComplete = (lines: string[]) => answered.every((line) => countOf(lines, line) >= countOf(answered, line))
  let noted: string[] = []
  for (const end = Date.now() + 5_000; !isComplete(noted); await pause(10)) {
    assert.ok(Date.now() < end, 'the access log lacks entries')
    const { rows } = await world.database.admin.query<{ operation: string; record_ids: string[] }>(
      'select operation, record_ids from core.access_log where tenant_id = $1',
      [app.tenantId],
    )
    noted = rows.map(({ operation, record_ids }) => `${operation.split('.').at(-1)} ${record_ids.join()}`)
  }
  if (!isHarmed) assert.deepEqual(noted.toSorted(), answered.toSorted(), 'access log')
}
