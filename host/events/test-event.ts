import type pg from 'pg'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { textOf } from '../../partner-services/service/sql.ts'
import type { EventDefinition } from './event-definitions.ts'
import { eventForInstallation } from './event-writer.ts'

type JsonSchema = { [key: string]: unknown }

/**
 * Sends an app an event with invented data, in a sandbox school only: a mirror of a live school must never hold an
 * invented child. Answers with the delivery's id. Throws `invalid_state` where no sandbox school has the app.
 */
export async function sendTestEvent(
  pool: pg.Pool,
  cipher: Cipher,
  now: Date,
  request: { appId: string; event: EventDefinition },
): Promise<string> {
  const { rows } = await pool.query<{ tenant_id: string; id: string }>(
    `select i.tenant_id, i.id from core.installations i join core.tenants t on t.id = i.tenant_id
      where i.app_id = $1 and i.status = 'active' and t.sandbox and ($2::text is null or $2 = any (i.granted_scopes))
      order by i.installed_at limit 1`,
    [request.appId, request.event.scope],
  )
  const installation = rows[0]
  if (!installation) throw new ServiceError('invalid_state')
  const { properties } = request.event.schema as { properties: { data: JsonSchema } }
  const statement = eventForInstallation(
    cipher,
    now,
    { tenantId: installation.tenant_id, installationId: installation.id },
    { name: request.event.name, data: exampleOf(properties.data) as Record<string, unknown> },
  )
  const written = await pool.query<{ id: string }>(textOf(statement), [...statement.values])
  const id = written.rows[0]?.id
  if (!id) throw new ServiceError('invalid_state')
  return id
}

/** A value that the schema allows. */
function exampleOf(schema: JsonSchema, name = ''): unknown {
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as JsonSchema, name)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    return Object.fromEntries(fields.map(([key, one]) => [key, exampleOf(one, key)]))
  }
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type !== 'string') return null
  if (schema.format === 'date') return '2015-01-01'
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z'
  return `Test ${name}`.trim()
}
