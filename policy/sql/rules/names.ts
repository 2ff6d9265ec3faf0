import type { GuardContext } from '../guard-context.ts'
import { refuse } from '../refused.ts'

export const tenantColumn = 'tenant_id'

/** A schema, where one is written, must be the module's own. */
export function ownSchema(schema: unknown, context: GuardContext, location?: number): void {
  if (schema === undefined || schema === '') return
  if (schema !== context.schema) refuse('schema', `schema ${String(schema)} is not yours`, location)
  context.tags.add('qualified')
}

/** Names that begin with `pg_` are the server's: without a schema they are looked up in its catalog first. */
export function ownName(name: unknown, location?: number): void {
  if (typeof name === 'string' && /^(pg_|information_schema$)/i.test(name)) {
    refuse('catalog', `${name} belongs to the server`, location)
  }
}

/** A name of one part, or of two with the module's own schema. */
export function ownObject(parts: (string | undefined)[], context: GuardContext, location?: number): void {
  if (parts.length > 2) refuse('name', 'too many qualifiers', location)
  if (parts.length === 2) ownSchema(parts[0], context, location)
  ownName(parts.at(-1), location)
}

/** Operators, functions, collations and operator classes: the server's own only. */
export function serverObject(kind: string, parts: (string | undefined)[], location?: number): void {
  if (parts.length > 2 || (parts.length === 2 && parts[0] !== 'pg_catalog')) {
    refuse(kind, `${kind} ${parts.join('.')} is not the server's own`, location)
  }
}

export function notTenantColumn(name: unknown, reason: string, location?: number): void {
  if (name === tenantColumn) refuse('tenant', reason, location)
}
