export type JsonSchema = Record<string, unknown>

type NamedType = { name: string; type: string; description: string | undefined }

/** Writes JSON schemas as TypeScript types. Schemas with an id become types of that name, once. */
export type TypeWriter = {
  /** `root` holds the definitions that its references name. */
  type(root: JsonSchema, depth: number): string
  /** The types of schemas with an id, by name. */
  named(): NamedType[]
}

export function createTypeWriter(): TypeWriter {
  const named = new Map<string, NamedType>()

  function type(root: JsonSchema, depth: number): string {
    for (const [name, schema] of Object.entries((root.$defs as Record<string, JsonSchema> | undefined) ?? {})) {
      define(name, schema)
    }
    return write(root, depth)
  }

  function define(name: string, schema: JsonSchema): void {
    const written: NamedType = { name, type: write(schema, 0), description: schema.description as string | undefined }
    const known = named.get(name)
    if (known && known.type !== written.type) throw new Error(`two schemas have the id ${name} and differ`)
    named.set(name, written)
  }

  function write(schema: JsonSchema, depth: number): string {
    if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
    const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
    if (choices) return [...new Set(choices.map((one) => write(one, depth)))].join(' | ')
    if (Array.isArray(schema.allOf)) return schema.allOf.map((one) => write(one, depth)).join(' & ')
    if (Array.isArray(schema.type)) return schema.type.map((one) => write({ ...schema, type: one }, depth)).join(' | ')
    return writeByType(schema, depth)
  }

  function writeByType(schema: JsonSchema, depth: number): string {
    if (schema.type === 'object') return writeObject(schema, depth)
    if (schema.type === 'array') {
      const items = schema.items ? write(schema.items as JsonSchema, depth) : 'unknown'
      return /[ |&]/.test(items) && !items.startsWith('{') ? `(${items})[]` : `${items}[]`
    }
    if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type
    return schema.type === 'number' || schema.type === 'integer' ? 'number' : 'unknown'
  }

  function writeObject(schema: JsonSchema, depth: number): string {
    const properties = Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {})
    const rest = schema.additionalProperties
    if (properties.length === 0) {
      return `Record<string, ${typeof rest === 'object' && rest !== null ? write(rest as JsonSchema, depth) : 'unknown'}>`
    }
    const required = new Set(schema.required as string[] | undefined)
    const indent = '  '.repeat(depth + 1)
    const lines = properties.map(([name, property]) => {
      const about = docComment(typeof property.description === 'string' ? [property.description] : [], depth + 1)
      return `${about}${indent}${propertyName(name)}${required.has(name) ? '' : '?'}: ${write(property, depth + 1)}\n`
    })
    return `{\n${lines.join('')}${'  '.repeat(depth)}}`
  }

  return { type, named: () => [...named.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** Lines as a doc comment at `depth`; empty for no lines. */
export function docComment(lines: readonly string[], depth: number): string {
  const indent = '  '.repeat(depth)
  const safe = lines.map((line) => line.replaceAll('*/', '* /'))
  if (safe.length === 0) return ''
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
}
