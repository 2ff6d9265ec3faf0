import fastJson from 'fast-json-stringify'
import { z } from 'zod'

type JsonSchema = Record<string, unknown>

/** JSON text from a value, by its schema: only what the schema names is written, whatever the value holds. */
export function compileSerializer(schema: z.ZodType): (value: unknown) => string {
  const jsonSchema = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    reused: 'inline',
    unrepresentable: 'any',
  })
  return fastJson(simplify(withoutReferences(jsonSchema as JsonSchema)) as unknown as fastJson.Schema)
}

/** Puts each definition in the place of its reference: what the writer cannot resolve, it would write whole. */
function withoutReferences({ definitions = {}, ...schema }: JsonSchema): JsonSchema {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') return resolve((definitions as JsonSchema)[$ref.replace('#/definitions/', '')])
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]))
  }
  return resolve(schema) as JsonSchema
}

const kept = ['type', 'properties', 'required', 'items', 'additionalProperties', 'const', 'enum', 'nullable', 'anyOf']

/** Keeps what the writer needs, and writes "T or null" as one type, which it handles without trying each. */
function simplify(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([key]) => kept.includes(key))
  const { anyOf, ...plain } = Object.fromEntries(entries.map(([key, value]) => [key, simplifyKeyword(key, value)]))
  if (!Array.isArray(anyOf)) return plain
  const others = anyOf.filter((one: JsonSchema) => one.type !== 'null')
  const only = others.length === 1 && others.length < anyOf.length ? (others[0] as JsonSchema) : null
  if (!only) return { ...plain, anyOf }
  return typeof only.type === 'string' && !['object', 'array'].includes(only.type)
    ? { ...only, type: [only.type, 'null'] }
    : { ...only, nullable: true }
}

function simplifyKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, one]) => [name, simplify(one)]),
    )
  }
  if (Array.isArray(value) && ['anyOf', 'items'].includes(keyword)) return value.map(simplify)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? simplify(value as JsonSchema) : value
}
