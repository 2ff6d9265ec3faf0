import type { OperationFacts } from '../catalog.ts'

/** What the scan knows of the platform: the operations of the service layer and the shape of the context. */
export type Platform = {
  /** Operation name to the scope it needs (null: none). */
  readonly operations: ReadonlyMap<string, string | null>
  /** Every beginning of an operation's name: `education`, `education.students`. */
  readonly prefixes: ReadonlySet<string>
  readonly slug: string
  readonly notificationKeys: ReadonlySet<string>
  readonly egress: ReadonlySet<string>
  readonly widgets: ReadonlySet<string>
}

export const services = 'ctx.services'
export const possibleServices = 'maybe.services'

/** The parts of the context that carry authority or identity. Everything else in it is data of this call. */
export const contextParts = new Set([
  'services',
  'db',
  'fetch',
  'notify',
  'publish',
  'withPublicWrite',
  'viewer',
  'studentHashid',
])
export const databaseMethods = new Set(['rows', 'row', 'execute', 'transaction'])

/** What `publish` of the context needs; it is an operation by another door. */
export const publishScope = 'realtime.messages.write'

/** Properties of declarations that are data or take no context, whatever function stands there. */
export const dataFields = new Set([
  'parameters',
  'title',
  'label',
  'description',
  'permission',
  'icon',
  'order',
  'zone',
  'key',
  'params',
  'url',
  'event',
  'color',
  'variant',
  'name',
  'requiredScopes',
  'supports',
])

export function operationTable(operations: readonly OperationFacts[]): Pick<Platform, 'operations' | 'prefixes'> {
  const table = new Map(operations.map((operation) => [operation.name, operation.scope]))
  // The one operation with a second name: a profile component reaches its student by the hash it was given.
  if (table.has('education.students.get') && !table.has('education.students.byHashid')) {
    table.set('education.students.byHashid', table.get('education.students.get') ?? null)
  }
  const prefixes = new Set<string>()
  for (const name of table.keys()) {
    const parts = name.split('.')
    for (let length = 1; length < parts.length; length++) prefixes.add(parts.slice(0, length).join('.'))
  }
  return { operations: table, prefixes }
}

/** Fields of platform records whose value is an identifier. */
export function isIdentifierField(name: string): boolean {
  return name === 'id' || name === 'entityId' || name.endsWith('_id')
}

/** Identifiers by name that are no ULIDs: the specification's integers and opaque texts. */
export const otherIdentifiers = new Set(['tenant_id', 'national_id', 'provider_id'])
export const countFields = new Set([
  'length',
  'total',
  'count',
  'per_page',
  'current_page',
  'last_page',
  'level',
  'position',
  'number',
  'size',
])

export const castingGlobals =
  /^(Number|BigInt|parseInt|parseFloat|isNaN|isFinite|Math\.\w+|Number\.(parseInt|parseFloat|isInteger|isNaN|isFinite|isSafeInteger)|BigInt\.as(Int|Uint)N|Int32Array|Uint32Array|Float64Array)$/
