import type { z } from 'zod'
import { operations as allOperations } from '../registry.ts'
import { catalogLabels } from '../scopes/catalog.ts'
import { type Operation, takesFields } from '../service/operation.ts'
import {
  cachedHeaders,
  errorReference,
  errorResponses,
  errorStatuses,
  limitHeaders,
  noStoreHeader,
  oauthRefusal,
  replayedHeader,
  requestIdHeader,
} from './error-responses.ts'
import { type EventDefinition, eventDefinitions, pingDefinition } from './events.ts'
import { type Components, exampleOf, type JsonSchema, toSchema } from './json-schema.ts'
import { type PublicRoute, publicRoutes } from './public-routes.ts'
import { webhookParameterReferences, webhookParameters, webhookRule } from './webhook-parameters.ts'

/** Addresses that paths begin at; relative ones are taken from where the description was read. */
export type Addresses = { base: string; sandbox: string; partners: string; contacts: string }

export const defaultAddresses: Addresses = {
  base: '/apps',
  sandbox: '/sandbox/apps',
  partners: '/partners',
  contacts: '/contacts',
}

export type OpenApi = JsonSchema & {
  servers: { url: string; description: string }[]
  paths: Record<string, JsonSchema>
  components: JsonSchema & { schemas: Components }
}

const about = `What an installed partner app calls to read and write the data of one tenant, within the scopes it was granted.

- Identifiers are ULIDs: strings of 26 characters, never numbers.
- Times are UTC; only the tenant clock's \`now\` carries the tenant's offset.
- Messages come in the language of \`Accept-Language\` (\`en\`, \`ar\`); error codes never change.
- Unknown fields are ignored, never stored.
- A limited installation may send 60 requests in each calendar minute (UTC).
- A write may carry an \`Idempotency-Key\`: for 24 hours the same request with the same key is answered alike and executed once.
- ${webhookRule}`

/** The API as OpenAPI 3.1, derived from the operations. */
export function describeApi(
  addresses: Addresses = defaultAddresses,
  operations: readonly Operation[] = allOperations,
): OpenApi {
  const schemas: Components = {}
  const paths: OpenApi['paths'] = {}
  for (const operation of operations) {
    paths[operation.http.path] ??= {}
    paths[operation.http.path]![operation.http.method.toLowerCase()] = describeOperation(operation, schemas)
  }
  for (const route of publicRoutes) {
    const method = route.http.method.toLowerCase()
    paths[route.http.path] = {
      servers: [{ url: route.base === 'oauth' ? '/' : addresses[route.base] }],
      [method]: describePublicRoute(route, schemas),
    }
  }
  const events = [...eventDefinitions(operations), pingDefinition]
  const webhooks = Object.fromEntries(events.map((event) => [event.name, webhook(event, schemas)]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Runtime API',
      version: '1.0.0',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: addresses.base, description: 'Live and test tokens' },
      { url: addresses.sandbox, description: 'Test tokens only' },
    ],
    tags: [...new Set([...operations.map(tagOf), ...publicRoutes.map(({ base }) => base), ...events.map(tagOf)])].map(
      describeTag,
    ),
    paths,
    webhooks,
    components: {
      schemas,
      parameters: webhookParameters,
      responses: errorResponses(),
      securitySchemes: {
        installationToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The installation token, `pit_live_…` or `pit_test_…`',
        },
        clientCredentials: {
          type: 'http',
          scheme: 'basic',
          description: "An app's client id and client secret, each URL-encoded",
        },
      },
    },
  }
}

const tagOf = ({ name }: { name: string }) => name.slice(0, name.lastIndexOf('.'))

const otherTags: Record<string, string> = {
  identity: 'Whose token this is',
  tenant: 'The tenant itself',
  partners: 'The partner portal; no token',
  contacts: 'The contacts endpoint; no token',
  oauth: 'A code for an installation token, RFC 6749',
  'partner.installation': 'Events of the installation',
  'partner.webhook': 'The webhook URL itself',
  'partner_scopes.catalog': 'Events of the scope catalog',
}

const describeTag = (name: string) => ({
  name,
  description: catalogLabels.resources[name]?.en ?? otherTags[name] ?? name,
})

function describeOperation(operation: Operation, schemas: Components): JsonSchema {
  const { name, scope, summary, description, http, status, writes, idempotent } = operation
  const { parameters, body } = splitInput(operation, schemas)
  const takesInput = takesFields(operation)
  return {
    operationId: name,
    summary,
    description: [description, scope === null ? 'Needs no scope.' : `Scope: \`${scope}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [tagOf(operation)],
    security: [{ installationToken: scope === null ? [] : [scope] }],
    'x-scope': scope,
    ...(idempotent || parameters.length > 0
      ? { parameters: [...parameters, ...(idempotent ? [idempotencyKey] : [])] }
      : {}),
    ...(body ? { requestBody: content(body, schemas, { required: 'required' in body }) } : {}),
    responses: {
      [status]: success(operation.output, schemas, {
        ...requestIdHeader,
        ...limitHeaders,
        ...(idempotent ? replayedHeader : {}),
      }),
      ...errorsOf(errorStatuses({ scope, http, writes, idempotent, takesInput })),
    },
  }
}

function describePublicRoute(route: PublicRoute, schemas: Components): JsonSchema {
  const body = route.http.method === 'POST' ? toSchema(route.input, schemas) : null
  const { name, summary, description, base, status, errors, oauth, hasETag } = route
  const headers = { ...requestIdHeader, ...(oauth ? noStoreHeader : {}), ...(hasETag ? cachedHeaders : {}) }
  const refusals = Object.entries(oauth?.refusals ?? {}).map(([refused, schema]) => [
    refused,
    oauthRefusal(Number(refused), toSchema(schema, schemas), schemas),
  ])
  return {
    operationId: name,
    summary,
    description,
    tags: [base],
    security: oauth ? [{ clientCredentials: [] }, {}] : [],
    ...(hasETag ? { parameters: [ifNoneMatch] } : {}),
    ...(body ? { requestBody: content(body, schemas, { required: true }, oauth ? formType : jsonType) } : {}),
    responses: {
      [status]: success(route.output, schemas, headers),
      ...(hasETag ? { 304: { description: 'Unchanged', headers } } : {}),
      ...errorsOf([400, 408, ...errors, 431, 500, 503]),
      ...Object.fromEntries(refusals),
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: '1 to 255 visible ASCII characters, kept for 24 hours',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['3f0c2d1e-5a7b-4c8d-9e0f-1a2b3c4d5e6f'] },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an answer that is known: 304 where it still holds',
  schema: { type: 'string', examples: ['"4f2a9c0b1d3e"'] },
}

/** Path and query as parameters, the rest of a write as its body. */
function splitInput({ http, input, writes }: Operation, schemas: Components) {
  const schema = toSchema(input, schemas)
  const required = (schema.required ?? []) as string[]
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const inPath = ([field]: [string, JsonSchema]) => http.path.includes(`{${field}}`)
  const parameter = ([name, field]: [string, JsonSchema], place: string) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: field,
  })
  const rest = fields.filter((field) => !inPath(field))
  const parameters: JsonSchema[] = [
    ...fields.filter(inPath).map((field) => parameter(field, 'path')),
    ...(writes ? [] : rest.map((field) => parameter(field, 'query'))),
  ]
  const bodyRequired = required.filter((name) => rest.some(([field]) => field === name))
  const body: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(rest),
    ...(bodyRequired.length > 0 ? { required: bodyRequired } : {}),
  }
  return { parameters, body: writes ? body : null }
}

const jsonType = 'application/json'
const formType = 'application/x-www-form-urlencoded'

const content = (schema: JsonSchema, schemas: Components, rest: JsonSchema, type = jsonType) => ({
  ...rest,
  content: { [type]: { schema, example: exampleOf(schema, schemas) } },
})

const success = (output: z.ZodType, schemas: Components, headers: JsonSchema) =>
  content(toSchema(output, schemas), schemas, { description: 'Success', headers })

const errorsOf = (statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, errorReference(status)]))

function webhook({ name, summary, scope, data }: EventDefinition, schemas: Components): JsonSchema {
  const envelope: JsonSchema = {
    type: 'object',
    required: ['id', 'event', 'tenant_id', 'created_at', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', examples: ['0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'] },
      event: { const: name },
      tenant_id: { type: 'integer', examples: [1] },
      created_at: { type: 'string', format: 'date-time', examples: ['2026-11-21T07:00:00.000Z'] },
      data: toSchema(data, schemas),
    },
  }
  return {
    post: {
      operationId: `webhook.${name}`,
      summary,
      description: scope === null ? 'For every app concerned.' : `For apps that subscribed and hold \`${scope}\`.`,
      tags: [name.slice(0, name.lastIndexOf('.'))],
      security: [],
      parameters: webhookParameterReferences,
      requestBody: content(envelope, schemas, { required: true }),
      responses: {
        '2XX': { description: 'Received; answer within 10 seconds' },
        '4XX': { description: 'Retried later, like every other answer' },
      },
    },
  }
}
