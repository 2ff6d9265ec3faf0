import { operations as allOperations } from '../registry.ts'
import { scopeCatalog } from '../scopes/catalog.ts'
import type { Operation } from '../service/operation.ts'
import { exampleOf, type JsonSchema, resolved } from './json-schema.ts'
import { describeApi, type OpenApi } from './openapi.ts'
import { publicRoutes } from './public-routes.ts'

/** One request of the collection: what is sent, and at which statuses the answer is as it should be. */
type Request = {
  name: string
  method: string
  url: string
  body?: unknown
  token?: string
  /** Statuses that are right, each with the schema that its body must have. */
  expected: Record<number, JsonSchema>
  /** Remembers the id of the answered record as `<this>_id`. */
  remembers?: string
}

/** No collection has a code that the next run could use too. */
const checkedRoutes = publicRoutes.filter(({ oauth }) => !oauth)

export type PostmanCollection = JsonSchema & { variable: { key: string; value: string }[] }

type Described = { method: string; path: string; base: string; operation: Operation | null; description: JsonSchema }

/**
 * A Postman collection that checks the API it calls: every operation, good and bad, by status and schema.
 * Its variables must be set: `token`, and the three addresses.
 */
export function postmanCollection(document: OpenApi = describeApi(), operations = allOperations): PostmanCollection {
  const described = [
    ...operations.map((operation) => describe(document, operation.http, '{{base_url}}', operation)),
    ...checkedRoutes.map(({ http, base }) => describe(document, http, `{{${base}_url}}`, null)),
  ]
  const folders = Map.groupBy(described, ({ description }) => (description.tags as string[])[0]!)
  return {
    info: {
      name: 'Partner Runtime API',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    event: [script('prerequest', waitForTheLimit), script('test', noteTheLimit)],
    item: [...folders].map(([name, own]) => ({
      name,
      item: own
        .toSorted(createFirst)
        .flatMap((one) => requestsOf(document, one))
        .map(item),
    })),
  }
}

const variables = {
  base_url: '',
  partners_url: '',
  contacts_url: '',
  token: '',
  unknown_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
}

const createFirst = (a: Described, b: Described) => Number(b.method === 'POST') - Number(a.method === 'POST')

function describe(
  document: OpenApi,
  http: { method: string; path: string },
  base: string,
  operation: Operation | null,
): Described {
  const description = document.paths[http.path]![http.method.toLowerCase()] as JsonSchema
  return { method: http.method, path: http.path, base, operation, description }
}

function requestsOf(document: OpenApi, { method, path, base, operation, description }: Described): Request[] {
  const schemaOf = (status: number) => answerSchema(document, description, status)
  const { parameters = [], requestBody } = description as { parameters?: JsonSchema[]; requestBody?: JsonSchema }
  const urlWith = (id: string) => base + path.replace('{id}', id)
  const query = parameters.filter((one) => one.in === 'query' && one.required)
  const queryText = query.map(
    (one) =>
      `${one.name}=${encodeURIComponent(String(exampleOf(one.schema as JsonSchema, document.components.schemas)))}`,
  )
  const good = urlWith(`{{${idVariable(path)}}}`) + (queryText.length > 0 ? `?${queryText.join('&')}` : '')
  const body = requestBody && withoutReferences(requestBody)
  const token = operation ? { token: '{{token}}' } : {}
  const name = String(description.summary)
  const status = operation?.status ?? publicRoutes.find((route) => route.http.path === path)!.status
  const right = [status, ...(mayBeRefused(operation) ? [403] : []), ...(path.includes('/curriculum') ? [404] : [])]
  const expect = (...statuses: number[]) => Object.fromEntries(statuses.map((one) => [one, schemaOf(one)]))
  const remembers = method === 'POST' && operation ? path.split('/').at(-1)! : undefined
  const requests: Request[] = [
    {
      name,
      method,
      url: good,
      ...token,
      ...(body ? { body } : {}),
      expected: expect(...right),
      ...(remembers ? { remembers } : {}),
    },
  ]
  if (!operation) {
    if (body) requests.push({ name: `${name}: nothing given`, method, url: good, body: {}, expected: expect(422) })
    return requests
  }
  requests.push({ name: `${name}: no token`, method, url: good, ...(body ? { body } : {}), expected: expect(401) })
  const refused = mayBeRefused(operation) ? [403] : []
  if (path.includes('{id}')) {
    const send = body ? { body } : {}
    requests.push({
      name: `${name}: unknown id`,
      method,
      url: urlWith('{{unknown_id}}'),
      ...token,
      ...send,
      expected: expect(404),
    })
  }
  if (parameters.some((one) => one.name === 'page')) {
    requests.push({
      name: `${name}: page 0`,
      method,
      url: `${urlWith('')}?page=0`,
      ...token,
      expected: expect(422, ...refused),
    })
  }
  if (method === 'POST')
    requests.push({ name: `${name}: nothing given`, method, url: good, body: {}, ...token, expected: expect(422) })
  return requests
}

/** The id of a path is that of a record the collection created before. */
const idVariable = (path: string): string => `${path.split('/{id}')[0]!.split('/').at(-1)}_id`

/** A token without dangerous scopes is refused here, which is right as well. */
const mayBeRefused = (operation: Operation | null): boolean =>
  scopeCatalog.some(({ key, dangerous }) => dangerous && key === operation?.scope)

/** References would have to exist: they are left out. */
function withoutReferences(requestBody: JsonSchema): JsonSchema {
  const { example } = (requestBody.content as Record<string, JsonSchema>)['application/json'] as { example: JsonSchema }
  return Object.fromEntries(Object.entries(example).filter(([key]) => !key.endsWith('_id') || key === 'wa_id'))
}

function answerSchema(document: OpenApi, description: JsonSchema, status: number): JsonSchema {
  const responses = description.responses as Record<string, JsonSchema>
  const found = responses[status]
  if (!found) throw new Error(`${description.operationId} does not describe ${status}`)
  const name = String(found.$ref ?? '')
    .split('/')
    .at(-1)!
  const response = found.$ref ? (document.components.responses as Record<string, JsonSchema>)[name]! : found
  const { schema } = (response.content as Record<string, JsonSchema>)['application/json'] as { schema: JsonSchema }
  return inlined(document, schema) as JsonSchema
}

function inlined(document: OpenApi, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(document, one))
  if (typeof value !== 'object' || value === null) return value
  const own = resolved(value as JsonSchema, document.components.schemas)
  if (own !== value) return inlined(document, own)
  const entries = Object.entries(own).filter(([key]) => key !== 'examples')
  return Object.fromEntries(entries.map(([key, one]) => [key, inlined(document, one)]))
}

function item({ name, method, url, body, token, expected, remembers }: Request): JsonSchema {
  const checks = [
    `const expected = ${JSON.stringify(expected)}`,
    `pm.test('status is ' + Object.keys(expected).join(' or '), () => pm.expect(Object.keys(expected)).to.include(String(pm.response.code)))`,
    `pm.test('body is as described', () => pm.response.to.have.jsonSchema(expected[pm.response.code]))`,
    ...(remembers ? [`pm.collectionVariables.set('${remembers}_id', Object.values(pm.response.json())[0].id)`] : []),
  ]
  return {
    name,
    event: [script('test', checks)],
    request: {
      method,
      url,
      auth: token ? { type: 'bearer', bearer: [{ key: 'token', value: token, type: 'string' }] } : { type: 'noauth' },
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    },
  }
}

const script = (listen: 'prerequest' | 'test', exec: string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
})

const noteTheLimit = [`pm.collectionVariables.set('remaining', pm.response.headers.get('X-RateLimit-Remaining') ?? '')`]

/** A limited installation waits for the next minute instead of failing. */
const waitForTheLimit = [
  `if (pm.collectionVariables.get('remaining') === '0') setTimeout(() => {}, 60500 - (Date.now() % 60000))`,
]
