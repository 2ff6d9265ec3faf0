import { z } from 'zod'
import type { Operation } from '../../partner-services/service/operation.ts'
import { catalogChanged, scopeOfEvent, tokenRotated } from './event-names.ts'

type JsonSchema = Record<string, unknown>

/** An event that can be subscribed to: who may learn of it, and the JSON Schema of its whole body. */
export type EventDefinition = { name: string; scope: string | null; schema: JsonSchema }

/** What operations emit, by the verb of their name. */
const verbs: Record<string, string> = { create: 'created', update: 'updated' }

/** Records that an operation writes for apps themselves: no school record changes. */
const emitsNothing = /^(reports\.templates|reports\.builder|notifications|realtime|ai)\./

/**
 * Every event, derived from the operations: `<feature>.<resource>.create` emits `<feature>.<resource>.created`, and its
 * data is what the operation answers.
 */
export function eventDefinitions(operations: readonly Operation[]): EventDefinition[] {
  const derived = operations.flatMap((operation): EventDefinition[] => {
    const [feature, resource, verb = ''] = operation.name.split('.')
    const action = verbs[verb]
    if (!operation.writes || !action || emitsNothing.test(operation.name)) return []
    const name = `${feature}.${resource}.${action}`
    return [{ name, scope: scopeOfEvent(name), schema: envelopeSchema(name, schemaOf(operation.output)) }]
  })
  return [
    ...derived,
    { name: tokenRotated, scope: null, schema: envelopeSchema(tokenRotated, schemaOf(rotationData)) },
    { name: catalogChanged, scope: null, schema: envelopeSchema(catalogChanged, schemaOf(catalogData)) },
  ]
}

const rotationData = z.object({ new_token: z.string() })
const catalogData = z.object({ version: z.string() })

function schemaOf(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return inlined(whole, $defs as Record<string, unknown>) as JsonSchema
}

/** Without references: the schema stands anywhere in another document. */
function inlined(value: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { $ref?: string }
  const target = $ref === undefined ? null : definitions[$ref.replace('#/$defs/', '')]
  if (target) return inlined({ ...target, ...rest }, definitions)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one, definitions)]))
}

function envelopeSchema(event: string, data: JsonSchema): JsonSchema {
  const { $schema: _, ...dataSchema } = data
  return {
    type: 'object',
    required: ['id', 'event', 'tenant_id', 'created_at', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      event: { const: event },
      tenant_id: { type: 'integer' },
      created_at: { type: 'string', format: 'date-time' },
      data: dataSchema,
    },
  }
}
