import { z } from 'zod'

export type JsonSchema = { [keyword: string]: unknown }

/** Named schemas of a description, as they are met. */
export type Components = Record<string, JsonSchema>

/** A zod schema as JSON Schema 2020-12. Schemas with an `id` go to `components` and are referred to. */
export function toSchema(schema: z.ZodType, components: Components): JsonSchema {
  const {
    $schema,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> }
  for (const [name, definition] of Object.entries($defs)) components[name] ??= tidy(definition) as JsonSchema
  return tidy(own) as JsonSchema
}

const referencePrefix = '#/components/schemas/'

/** The schema that a reference stands for, or the schema itself. */
export function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const { $ref } = schema
  return typeof $ref === 'string' ? components[$ref.slice(referencePrefix.length)]! : schema
}

/** Removes what says nothing (the bounds of a safe integer, the pattern of a format) and writes examples as 3.1 does. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as JsonSchema
  const entries = Object.entries(schema)
    .filter(
      ([key, one]) => !(key === 'pattern' && 'format' in schema) && Math.abs(Number(one)) !== Number.MAX_SAFE_INTEGER,
    )
    .map(([key, one]): [string, unknown] => {
      if (key === '$ref') return [key, String(one).replace('#/$defs/', referencePrefix)]
      if (key === 'example' && typeof schema.properties === 'undefined') return ['examples', [one]]
      return [key, key === 'default' || key === 'enum' || key === 'const' ? one : tidy(one)]
    })
  return Object.fromEntries(entries)
}

/** A value of the schema for the reader: the schema's own example, else the plainest value. */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  const {
    examples,
    const: constant,
    enum: choices,
    default: fallback,
    anyOf,
    type,
    format,
    properties,
    items,
  } = resolved(schema, components)
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(choices)) return choices[0]
  if (fallback !== undefined) return fallback
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, components)
  if (type === 'object') {
    const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, components)]))
  }
  if (type === 'array') return [exampleOf(items as JsonSchema, components)]
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return 1
  return format === 'email' ? 'name@example.org' : 'text'
}
