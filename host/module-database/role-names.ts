/**
 * Where a module's statements run: `live` serves schools, `sandbox` the sandbox's tenants, `rehearsal` is a copy without
 * rows on which a migration is tried. They share nothing.
 */
export type SchemaKind = 'live' | 'sandbox' | 'rehearsal'

/** Those in which tenants have rows. */
export type TenantSchemaKind = Exclude<SchemaKind, 'rehearsal'>

const prefixes: Readonly<Record<SchemaKind, string>> = { live: 'm', sandbox: 's', rehearsal: 'r' }

export type ModuleRoles = {
  schema: string
  /** Owns the schema and runs migrations; cannot sign in between runs. */
  owner: string
  /** Reads and writes rows, and nothing else. */
  runtime: string
}

const slugPattern = /^[a-z][a-z0-9_]{1,39}$/
const suffixPattern = /^(_[0-9a-f]{8})?$/

/**
 * Schema and roles of a module. Roles belong to the whole cluster, so they end in the database's suffix; the schema does
 * not. Throws on a slug that is none: these names are put into SQL.
 */
export function moduleRoleNames(slug: string, options: { suffix: string; kind?: SchemaKind }): ModuleRoles {
  if (!slugPattern.test(slug)) throw new Error('not a module slug')
  if (!suffixPattern.test(options.suffix)) throw new Error('not a role suffix')
  const schema = `${prefixes[options.kind ?? 'live']}_${slug}`
  // Else the owner of `x_rt` would be the runtime role of `x`. A dot stands in no slug.
  const owner = slug.endsWith('_rt') ? `${schema}.owner` : schema
  return { schema, owner: owner + options.suffix, runtime: `${schema}_rt${options.suffix}` }
}
