import { z } from 'zod'
import { NotFoundException } from './errors.ts'
import { defineOperation, type Operation } from './operation.ts'
import { insert, update, type WritableTable } from './records.ts'
import { listQuery, pageOf, recordId, ulid } from './schemas.ts'
import { among, hitsOf } from './search.ts'
import { and, identifier, type Sql, sql } from './sql.ts'

/** A kind of record of a tenant: what its file says once, and its operations are made of. */
export type Resource = {
  /** `<feature>.<resource>`: begins the names of its operations, scopes and events. */
  name: string
  /** One record and several, as sentences say it. */
  noun: [one: string, many: string]
  path: `/${string}`
  /** Table of the schema `core`, and the name under which its words are indexed. */
  table: string
  columns: Sql
  record: z.ZodObject
  /** Columns that the list also takes as query fields: references to other records. */
  filters?: readonly string[]
}

/** A resource that apps may also write. */
export type WritableResource = Resource & {
  table: WritableTable
  /** Key under which a single record is answered, for example `student`. */
  wrapper: string
  /** What can be written; what is required here is required on create and optional on update. */
  fields: z.ZodObject
}

type Row = { id: string } & Record<string, unknown>

/** One page of the tenant's records, ordered by id. */
export function listOperation({ name, noun, path, table, columns, record, filters = [] }: Resource): Operation {
  return defineOperation({
    name: `${name}.list`,
    scope: `${name}.read`,
    summary: `List ${noun[1]}`,
    http: { method: 'GET', path },
    input: listQuery.extend(
      Object.fromEntries(filters.map((column) => [column, ulid.optional()])),
    ) as unknown as typeof listQuery,
    output: pageOf(record),
    handler({ db, input, caller }) {
      const wanted: Record<string, unknown> = input
      const conditions = filters
        .filter((column) => wanted[column] !== undefined)
        .map((column) => sql`${identifier(column)} = ${wanted[column]}`)
      const from = sql`core.${identifier(table)}`
      const within = sql`tenant_id = ${caller.tenant.id}`
      const hits = hitsOf(table, caller.tenant.id, input.search)
      const where = sql`${within}${and(among(hits), ...conditions)}`
      if (!hits) return db.page<Row>(input, { columns, from, where })
      const ids = conditions.length === 0 ? hits : sql`select id from ${from} where ${where}`
      return db.foundPage<Row>(input, { columns, from, within, ids })
    },
  })
}

/** One record. Another tenant's id answers like an absent one. */
export function getOperation({ name, noun, path, table, columns, record, wrapper }: WritableResource): Operation {
  return defineOperation({
    name: `${name}.get`,
    scope: `${name}.read`,
    summary: `Get ${article(noun[0])}`,
    http: { method: 'GET', path: `${path}/{id}` },
    input: z.object({ id: recordId }),
    output: z.object({ [wrapper]: record }),
    async handler({ db, input, caller }) {
      const row = await db.row<Row>(
        sql`select ${columns} from core.${identifier(table)} where tenant_id = ${caller.tenant.id} and id = ${input.id}`,
      )
      if (!row) throw new NotFoundException()
      return { [wrapper]: row }
    },
  })
}

/** Adds a record to the tenant; subscribers learn of it by `<name>.created`. */
export function createOperation(resource: WritableResource): Operation {
  const { name, noun, path, table, columns, record, wrapper, fields } = resource
  const event = `${name}.created`
  return defineOperation({
    name: `${name}.create`,
    scope: `${name}.write`,
    summary: `Create ${article(noun[0])}`,
    http: { method: 'POST', path },
    input: fields,
    output: z.object({ [wrapper]: record }),
    status: 201,
    event,
    async handler({ db, input, caller, emit, ports }) {
      const row = await insert<Row>(db, table, { caller, ports, fields: input, columns })
      emit({ name: event, recordId: row.id, data: { [wrapper]: row } })
      return { [wrapper]: row }
    },
  })
}

/** Changes the given fields of a record; fields that are absent stay. Subscribers learn of a change by `<name>.updated`. */
export function updateOperation(resource: WritableResource): Operation {
  const { name, noun, path, table, columns, record, wrapper, fields } = resource
  const event = `${name}.updated`
  return defineOperation({
    name: `${name}.update`,
    scope: `${name}.write`,
    summary: `Update ${article(noun[0])}`,
    http: { method: 'PATCH', path: `${path}/{id}` },
    input: fields.partial().extend({ id: recordId }),
    output: z.object({ [wrapper]: record }),
    event,
    async handler({ db, input, caller, emit }) {
      const { id, ...given } = input
      const { row, changed } = await update<Row>(db, table, { caller, id, fields: given, columns })
      if (changed) emit({ name: event, recordId: row.id, data: { [wrapper]: row } })
      return { [wrapper]: row }
    },
  })
}

/** List, get, create and update. */
export const resourceOperations = (resource: WritableResource): Operation[] => [
  listOperation(resource),
  getOperation(resource),
  createOperation(resource),
  updateOperation(resource),
]

const article = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
