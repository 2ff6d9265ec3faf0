import type { Caller } from './caller.ts'
import type { Sql } from './sql.ts'

/** What the service layer needs of the host. The host implements it; nothing here imports the host. */
export type Ports = {
  database: Database
  /** One row of the access log: which app, which operation, which records. Written in bulk, never awaited. */
  recordAccess(caller: Caller, operation: string, recordIds: string[]): void
  cipher: Cipher
  clock: () => Date
  /** The platform's own time zone, where neither the school nor its country has one. */
  platformTimeZone: string
}

/** Encryption at rest under a key of the tenant. `field` is bound in, so that a value cannot be moved to another field. */
export type Cipher = {
  encrypt(tenantId: string, field: string, plain: Buffer): Buffer
  /** Throws where the value was made under another key, tenant or field. */
  decrypt(tenantId: string, field: string, sealed: Buffer): Buffer
}

/** `search` is given where the query depends on it: such a query is planned anew for its words. */
export type Paging = { page: number; per_page: number; search?: string | undefined }

export type Page<Row> = { data: Row[]; total: number; per_page: number; current_page: number; last_page: number }

/** A list as a query: `order` must be total. Where `order` is absent it is by id. */
export type PageQuery = { columns: Sql; from: Sql; where: Sql; order?: Sql }

/** The caller's tenant's rows, and nobody else's. */
export type TenantDatabase = {
  rows<Row>(statement: Sql): Promise<Row[]>
  /** The first row, or null. */
  row<Row>(statement: Sql): Promise<Row | null>
  /** One page and the total, in one round trip. */
  page<Row>(paging: Paging, query: PageQuery): Promise<Page<Row>>
}

/** A change of data, as subscribers learn of it. Written in the transaction of the change. */
export type DomainEvent = {
  /** `<feature>.<resource>.<action>`, for example `education.students.created`. */
  name: string
  recordId: string
  /** The event's `data`, for example `{student: {…}}`. */
  data: Record<string, unknown>
}

export type UnitOfWork = { db: TenantDatabase; emit(event: DomainEvent): void }

/** An `Idempotency-Key` and the request it stands for. */
export type Idempotency = { key: string; fingerprint: string }

export type OperationResponse = {
  status: number
  /** JSON text. */
  body: string
  /** True where a stored answer was given again and nothing was executed. */
  replayed?: boolean
}

export type Database = {
  /** Reads only: each statement in a round trip of its own, outside a transaction block. */
  read(caller: Caller, work: (unit: UnitOfWork) => Promise<OperationResponse>): Promise<OperationResponse>
  /** Everything `work` does, its events and the idempotency key's row commit together or not at all. */
  write(
    caller: Caller,
    idempotency: Idempotency | null,
    work: (unit: UnitOfWork) => Promise<OperationResponse>,
  ): Promise<OperationResponse>
}
