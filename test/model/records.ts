import assert from 'node:assert/strict'
import { ulid } from 'ulid'
import type { Random } from '../../host/seeds/random.ts'
import { call, type Wanted } from './calls.ts'
import { emit } from './deliveries.ts'
import { type Fields, fieldsFor, kinds, type Kind, type Rec, shapes, sorted, type Tenant } from './resources.ts'
import * as state from './state.ts'
import type { Installation, Model } from './state.ts'
import { isFound, searchFrom } from './texts.ts'

const keyLifetime = 24 * 3_600_000

function noteAccess({ log }: Model, one: Installation, { kind, verb }: Wanted, ids: string[]): void {
  log.push(`${one.tenant.id} ${one.app.slug} ${one.id} ${shapes[kind].name}.${verb} ${ids.join(',')}`)
}

const othersOf = ({ tenants }: Model, own: Tenant): Tenant[] => tenants.filter((tenant) => tenant !== own)

/** An id of the tenant's, in either case; now and then another tenant's, or none. */
function someId(model: Model, random: Random, own: Tenant, kind: Kind): string {
  const dice = random.integer(12)
  if (dice === 0) return random.pick(['1', 'x', '01J9ZK3V7Q8R2M4T6W8Y0A1B2C', '%25'])
  const foreign = othersOf(model, own).flatMap((tenant) => [...tenant.records[kind].keys()])
  if (dice === 1 && foreign.length > 0) return random.pick(foreign)
  const id = random.pick([...own.records[kind].keys()])
  return dice === 2 ? id.toLowerCase() : id
}

/** Creates or changes a record; now and then under an idempotency key, a new one or one that was used. */
export async function write(model: Model, random: Random, one: Installation): Promise<void> {
  const kind = random.pick(kinds)
  const own = one.tenant
  const verb = own.records[kind].size < 3 || random.integer(2) === 0 ? 'create' : 'update'
  const fields = fieldsFor(random, kind, { own, others: othersOf(model, own) }, verb === 'create')
  const args = verb === 'create' ? fields.given : { ...fields.given, id: someId(model, random, own, kind) }
  const used = [...one.answers.keys()]
  const isUsed = used.length > 0 && random.integer(3) === 0
  const key = random.integer(3) > 0 ? undefined : isUsed ? random.pick(used) : ulid()
  const times = key && random.integer(2) === 0 ? 2 : 1
  for (let time = 0; time < times; time++) await writeOnce(model, random, one, { kind, verb, args, key }, fields)
}

type Asked = Pick<ReturnType<typeof fieldsFor>, 'kept' | 'wrong'>

async function writeOnce(model: Model, random: Random, one: Installation, wanted: Wanted, asked: Asked) {
  const { kind, verb, args, key } = wanted
  const { name, wrapper } = shapes[kind]
  const reply = await call(model, random, one, wanted)
  if (!reply) return
  const { status, body, replayed, request } = reply
  if (!one.granted.includes(state.writeScope(kind))) return assert.equal(status, 403)
  const stored = key && request ? one.answers.get(key) : undefined
  if (stored && stored.at > state.nowOf(model) - keyLifetime) {
    if (stored.request !== request) return assert.equal(status, 409)
    assert.deepEqual([status, body, replayed], [stored.status, stored.body, true])
    if (status < 400) noteAccess(model, one, wanted, [body[wrapper].id])
    return
  }
  assert.equal(replayed, false)
  if (key && request) one.answers.set(key, { request, status, body, at: state.nowOf(model) })
  const before = verb === 'create' ? null : one.tenant.records[kind].get(String(args.id).toUpperCase())
  const expected = statusOf(asked, before)
  assert.equal(status, expected, `${name}.${verb} ${JSON.stringify(args)}`)
  if (expected >= 400) return
  const shown: Rec = body[wrapper]
  assert.deepEqual(sorted(shown), sorted(expectedRecord(kind, before, asked.kept, shown.id)))
  noteAccess(model, one, wanted, [shown.id])
  const isChange = !before || JSON.stringify(sorted(before)) !== JSON.stringify(sorted(shown))
  one.tenant.records[kind].set(shown.id, shown)
  if (isChange) emit(model, one.tenant, kind, before ? 'updated' : 'created', shown.id, body)
}

/** `before`: null where a record is created, undefined where the tenant has none of that id. */
function statusOf({ wrong }: Asked, before: Rec | null | undefined): number {
  if (wrong === 'form') return 422
  if (before === undefined) return 404
  if (wrong === 'reference') return 422
  return before ? 200 : 201
}

function expectedRecord(kind: Kind, before: Rec | null | undefined, kept: Fields, id: string): Rec {
  const empty = Object.fromEntries(Object.keys(shapes[kind].fields).map((field) => [field, null]))
  return { ...(before ?? empty), ...kept, id: before?.id ?? id }
}

/** One record, one page of a list or of a search, or every page. */
export async function read(model: Model, random: Random, one: Installation): Promise<void> {
  const kind = random.pick(kinds)
  const hasRecords = one.tenant.records[kind].size > 0
  return hasRecords && random.integer(2) === 0 ? get(model, random, one, kind) : list(model, random, one, kind)
}

async function get(model: Model, random: Random, one: Installation, kind: Kind): Promise<void> {
  const id = someId(model, random, one.tenant, kind)
  const wanted: Wanted = { kind, verb: 'get', args: { id } }
  const reply = await call(model, random, one, wanted)
  if (!reply) return
  if (!one.granted.includes(state.readScope(kind))) return assert.equal(reply.status, 403)
  const record = one.tenant.records[kind].get(id.toUpperCase())
  if (!record) return assert.equal(reply.status, 404)
  assert.deepEqual(sorted(reply.body[shapes[kind].wrapper]), sorted(record))
  noteAccess(model, one, wanted, [record.id])
}

async function list(model: Model, random: Random, one: Installation, kind: Kind): Promise<void> {
  const filter = filterFor(model, random, kind)
  const found = foundBy(kind, filter, [...one.tenant.records[kind].values()])
  const size = 1 + random.integer(random.integer(2) === 0 ? 4 : 100)
  const last = Math.max(1, Math.ceil(found.length / size))
  const all = Array.from({ length: last + 1 }, (_, index) => index + 1)
  const pages = random.integer(3) === 0 ? all : [random.pick(all)]
  for (const page of pages.slice(0, 12)) {
    const wanted: Wanted = { kind, verb: 'list', args: { ...filter, page, per_page: size } }
    const reply = await call(model, random, one, wanted)
    if (!reply) return
    if (!one.granted.includes(state.readScope(kind))) return assert.equal(reply.status, 403)
    const data = found.slice((page - 1) * size, page * size)
    assert.equal(reply.status, 200)
    assert.deepEqual(
      { ...reply.body, data: reply.body.data.map(sorted) },
      { data: data.map(sorted), total: found.length, per_page: size, current_page: page, last_page: last },
      `${shapes[kind].name} ${JSON.stringify(filter)}`,
    )
    const ids = data.map(({ id }) => id)
    noteAccess(model, one, wanted, ids)
  }
}

/** Of records of any tenant: what is another's must be found nowhere else. */
function filterFor({ tenants }: Model, random: Random, kind: Kind): Fields {
  const { names, wholes, filters } = shapes[kind]
  const filter: Fields = {}
  for (const field of filters) {
    const ids = tenants.flatMap(({ records }) => [...records[field === 'grade_id' ? 'grades' : 'sections'].keys()])
    if (ids.length > 0 && random.integer(3) === 0) filter[field] = random.pick(ids)
  }
  const records = tenants.flatMap((tenant) => [...tenant.records[kind].values()])
  const texts = records.flatMap((record) => [...names, ...wholes].map((field) => record[field]))
  const known = texts.filter((text): text is string => typeof text === 'string')
  if (known.length > 0 && random.integer(2) === 0) filter.search = searchFrom(random, random.pick(known))
  return filter
}

function foundBy(kind: Kind, { search = '', ...references }: Fields, records: Rec[]): Rec[] {
  const { names, wholes } = shapes[kind]
  const textsOf = (record: Rec, fields: string[]) =>
    fields.map((field) => record[field]).filter((text): text is string => typeof text === 'string')
  return records
    .filter((record) => Object.entries(references).every(([field, id]) => record[field] === id))
    .filter((record) => isFound(String(search), textsOf(record, names), textsOf(record, wholes)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
