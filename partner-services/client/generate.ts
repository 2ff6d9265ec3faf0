import { readFileSync, writeFileSync } from 'node:fs'
import { toSchema, type Components, type JsonSchema } from '../description/json-schema.ts'
import { operations as allOperations } from '../registry.ts'
import type { Operation } from '../service/operation.ts'

/** Where the generated file is kept. `npm run check` holds it to `generateClient()`. */
export const generatedClient = new URL('./generated/client.ts', import.meta.url)

/**
 * The client as one TypeScript file: the types of the description, one method for each operation, and the runtime. Types are
 * stated and not inferred: they are read as declarations too, where no compiler follows the code.
 */
export function generateClient(operations: readonly Operation[] = allOperations): string {
  const components: Components = {}
  const methods = methodTree(operations, components)
  const records = Object.entries(components).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeText(schema)}\n`,
  )
  const runtime = readFileSync(new URL('./runtime.ts', import.meta.url), 'utf8').replace(/\nexport \{[^}]*\}\n$/, '')
  return `// Generated from the operations by partner-services/client/generate.ts. Do not edit.

${records.join('\n')}
${runtime}
/** The runtime API for one installation. A refusal is thrown as PartnerApiError. */
export type PartnerClient = ${treeText(methods, 0, ({ about, type }) => [`/** ${about} */`, type])}

export function createPartnerClient(options: PartnerClientOptions): PartnerClient {
  const call = createCall(options)
  return ${treeText(methods, 1, ({ code }) => [`${code},`])}
}
`
}

/** `type` and `code` are one line each, with the method's name. */
type Method = { about: string; type: string; code: string }
type Tree = { [name: string]: Tree | Method }

function methodTree(operations: readonly Operation[], components: Components): Tree {
  const root: Tree = {}
  for (const operation of operations) {
    const path = operation.name.split('.')
    let node = root
    for (const part of path.slice(0, -1)) {
      node[part] ??= {}
      node = node[part] as Tree
    }
    Object.assign(node, methodsOf(operation, path.at(-1)!, components))
  }
  return root
}

const isMethod = (node: Tree | Method): node is Method => typeof node.code === 'string'

function treeText(tree: Tree, depth: number, linesOf: (method: Method) => string[]): string {
  const indent = '  '.repeat(depth + 1)
  const nodeText = ([name, node]: [string, Tree | Method]): string[] =>
    isMethod(node)
      ? linesOf(node).map((line) => indent + line)
      : [`${indent}${name}: ${treeText(node, depth + 1, linesOf)},`]
  return `{\n${Object.entries(tree).flatMap(nodeText).join('\n')}\n${'  '.repeat(depth)}}`
}

function methodsOf(operation: Operation, name: string, components: Components): Record<string, Method> {
  const { http, summary, description, scope } = operation
  const input = toSchema(operation.input, components)
  const output = toSchema(operation.output, components)
  const hasInput = Object.keys((input.properties ?? {}) as object).length > 0
  const optional = ((input.required ?? []) as string[]).length === 0 ? '?' : ''
  const given = `input${optional}: ${typeText(input)}, `
  const request = (fields: string) => `call('${http.method}', '${http.path}', ${fields}, options)`
  const methods: Record<string, Method> = {
    [name]: {
      about: [`${summary}.`, description, scope === null ? null : `Scope: \`${scope}\`.`].filter(Boolean).join(' '),
      type: `${name}: (${hasInput ? given : ''}options?: CallOptions) => Promise<${typeText(output)}>`,
      code: `${name}: (${hasInput ? 'input, ' : ''}options) => ${request(hasInput ? 'input' : '{}')}`,
    },
  }
  const items = pagedItems(output)
  if (items) {
    methods.all = {
      about: `${summary}: the items of all pages, fetched as they are needed.`,
      type: `all: (${given}options?: CallOptions) => AsyncGenerator<${typeText(items.schema)}>`,
      code: `all: (input, options) => everyItem((page) => ${request('page')}, input, '${items.key}')`,
    }
  }
  return methods
}

/** The array of a page, where the output is one: it has a `total` and one array. */
function pagedItems({ properties = {} }: JsonSchema): { key: string; schema: JsonSchema } | null {
  const fields = properties as Record<string, JsonSchema>
  const found = Object.entries(fields).find(([, { type }]) => type === 'array')
  return 'total' in fields && found ? { key: found[0], schema: found[1].items as JsonSchema } : null
}

function typeText(schema: JsonSchema): string {
  const {
    $ref,
    const: constant,
    enum: choices,
    anyOf,
    type,
    properties,
    required = [],
    items,
    additionalProperties,
  } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(choices)) return choices.map((one) => JSON.stringify(one)).join(' | ')
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchema) => typeText(one)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one })).join(' | ')
  if (type === 'object' && properties) {
    const fields = Object.entries(properties as Record<string, JsonSchema>)
    const texts = fields.map(
      ([name, field]) => `${name}${(required as string[]).includes(name) ? '' : '?'}: ${typeText(field)}`,
    )
    return `{ ${texts.join('; ')} }`
  }
  if (type === 'object') return `Record<string, ${typeText((additionalProperties ?? {}) as JsonSchema)}>`
  if (type === 'array') {
    const item = typeText(items as JsonSchema)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'integer' || type === 'number') return 'number'
  return ['string', 'boolean', 'null'].includes(String(type)) ? String(type) : 'unknown'
}

const comment = ({ description }: JsonSchema): string => (description ? `/** ${description} */\n` : '')

if (import.meta.main) writeFileSync(generatedClient, generateClient())
