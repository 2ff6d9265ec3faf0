import assert from 'node:assert/strict'
import { longestSilence, pauseAfter } from '../../host/events/endpoint-health.ts'
import { retryDelays } from '../../host/events/retry-schedule.ts'
import type { Random } from '../../host/seeds/random.ts'
import type { Received } from '../events/receiver.ts'
import { type Kind, shapes, type Tenant } from './resources.ts'
import * as state from './state.ts'
import type { App, Delivery, Installation, Model } from './state.ts'

export function addDelivery(model: Model, installation: Installation, event: string, recordId: string, data: unknown) {
  const at = state.nowOf(model)
  const first = { state: 'pending' as const, attempts: 0, replays: 0, dueAt: at }
  model.deliveries.push({ installation, event, recordId, data, at, ...first })
}

/** A record changed: whoever subscribed and may read it is to be told. */
export function emit(model: Model, tenant: Tenant, kind: Kind, action: string, recordId: string, data: unknown): void {
  const event = `${shapes[kind].name}.${action}`
  for (const one of model.installations.filter((each) => each.tenant === tenant && each.state === 'active')) {
    const subscribed = one.app.receiver && state.publishedOf(one.app)[0]?.events.includes(event)
    if (subscribed && one.granted.includes(state.readScope(kind))) addDelivery(model, one, event, recordId, data)
  }
}

const isGranted = ({ event, installation }: Delivery): boolean =>
  event.startsWith('partner.') || installation.granted.includes(event.replace(/\.\w+$/, '.read'))

/** What a receiver sees of a delivery, as one text. */
const asSent = ({ installation, event, at, data }: Delivery): string =>
  JSON.stringify([installation.tenant.number, event, new Date(at).toISOString(), data])
const asReceived = ({ body }: Received): string =>
  JSON.stringify([body.tenant_id, body.event, body.created_at, body.data])

/** Everything that is due is sent once; what is sent for the first time, in the order in which its record changed. */
export async function settle(model: Model): Promise<void> {
  const now = state.nowOf(model)
  // Which ones a pause comes before depends on how they were claimed: whoever failed so long is well again.
  for (const app of model.apps) if (isStreak(app, now) && app.failing!.since <= now - pauseAfter) app.broken = false
  await model.world.sender.settle()
  for (const app of model.apps) if (app.receiver) compareSent(model, app, app.receiver.received)
}

function compareSent(model: Model, app: App, all: Received[]): void {
  const now = state.nowOf(model)
  const received = all.slice(app.compared)
  app.compared = all.length
  const due = model.deliveries.filter((one) => one.installation.app === app && one.dueAt !== null && one.dueAt <= now)
  for (const stopped of due.filter((one) => !isGranted(one))) Object.assign(stopped, { state: 'terminal', dueAt: null })
  const sent = due.filter(isGranted)
  assert.ok(
    received.every(({ signed }) => signed),
    'signatures',
  )
  assert.deepEqual(received.map(asReceived).toSorted(), sent.map(asSent).toSorted(), 'what was delivered')
  compareOrder(sent, received)
  for (const one of sent) noteAttempt(one, app.broken, now)
  for (const one of sent) noteAccess(model, one)
  const since = isStreak(app, now) ? app.failing!.since : now
  if (sent.length > 0) app.failing = app.broken ? { since, last: now } : null
}

/** Whether an endpoint that fails now has been failing since before. */
const isStreak = ({ failing }: App, now: number): boolean => failing !== null && failing.last >= now - longestSilence

/** Per record; its deliveries to one school's installation differ by their data. */
function compareOrder(sent: Delivery[], received: Received[]): void {
  const firsts = sent.filter(({ attempts, replays }) => attempts === 0 && replays === 0)
  const again = new Set(sent.filter((one) => !firsts.includes(one)).map(asSent))
  const byRecord = Map.groupBy(firsts, ({ installation, recordId }) => `${installation.id} ${recordId}`)
  for (const texts of [...byRecord.values()].map((own) => own.map(asSent))) {
    if (texts.some((text) => again.has(text)) || new Set(texts).size < texts.length) continue
    const came = received.map(asReceived).filter((text) => texts.includes(text))
    assert.deepEqual(came, texts, 'the order of a record')
  }
}

/** What carries a record of the school is an access to it. */
function noteAccess({ log }: Model, { installation: { tenant, app, id }, event, recordId }: Delivery): void {
  if (!event.startsWith('partner.')) log.push(`${tenant.id} ${app.slug} ${id} ${event} ${recordId}`)
}

function noteAttempt(one: Delivery, failed: boolean, now: number): void {
  const delay = retryDelays[one.attempts++]
  if (!failed) Object.assign(one, { state: 'delivered', dueAt: null })
  else if (delay === undefined) Object.assign(one, { state: 'terminal', dueAt: null })
  else Object.assign(one, { state: 'retrying', dueAt: now + delay })
}

/** Replays some past deliveries of an app; of those that may not be sent any more, none. */
export async function replay(model: Model, random: Random, app: App): Promise<void> {
  const own = model.deliveries.filter(({ installation }) => installation.app === app)
  const { rows } = await model.world.database.admin.query<{ id: string }>(
    'select id from core.deliveries where app_id = $1 order by position',
    [app.id],
  )
  const chosen = own.map((one, index) => ({ one, id: rows[index]!.id })).filter(() => random.integer(3) === 0)
  if (chosen.length === 0) return
  const path = `/partners/api/apps/${app.slug}/deliveries/replay`
  const body = { ids: chosen.map(({ id }) => id) }
  const answer = await model.world.operator(random.integer(2), path, { method: 'POST', body })
  const due = chosen.filter(({ one }) => one.installation.state === 'active' && isGranted(one))
  assert.deepEqual([answer.status, answer.body.replayed.toSorted()], [202, due.map(({ id }) => id).toSorted()])
  const again = { state: 'pending', dueAt: state.nowOf(model), attempts: 0 }
  for (const { one } of due) Object.assign(one, again, { replays: one.replays + 1 })
}
