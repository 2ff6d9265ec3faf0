import fc from 'fast-check'
import { operations } from '../../../partner-services/registry.ts'
import type { Operation } from '../../../partner-services/service/operation.ts'
import { describeApi } from '../../../partner-services/description/openapi.ts'
import { exampleOf, type JsonSchema } from '../../../partner-services/description/json-schema.ts'

/** A request to one operation, right or wrong in any place. */
export type HostileRequest = {
  operation: Operation
  url: string
  method: string
  headers: Record<string, string>
  body: string | Buffer | null
}

const document = describeApi()

/** Ids that exist in another tenant, and one that exists in ours, make the ids worth guessing. */
export function hostileRequest(ids: { own: string[]; foreign: string[] }): fc.Arbitrary<HostileRequest> {
  return fc.oneof(...operations.map((operation) => requestOf(operation, ids)))
}

const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff x',
  'أحمد',
  'ﷺ',
  '𐍈',
  "' or 1=1--",
  '%',
  '_',
  '\\',
  '../..',
  '{{x}}',
  '1e999',
  '-0',
  'null',
  'ـ',
  '\u202e',
  '0000-00-00',
  '0000-01-01',
  '9999-12-31',
  '10000-01-01',
  '2026-02-30',
  'x'.repeat(300),
  'ا'.repeat(600),
  '+966501234567',
  'a@b.co',
  '🧨'.repeat(130),
]

function anyText(ids: { own: string[]; foreign: string[] }): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...nastyTexts),
    fc.constantFrom(...ids.own, ...ids.foreign),
    fc.string({ unit: 'binary' }),
    fc.integer().map(String),
  )
}

function requestOf(operation: Operation, ids: { own: string[]; foreign: string[] }): fc.Arbitrary<HostileRequest> {
  const { http } = operation
  const described = document.paths[http.path]![http.method.toLowerCase()] as JsonSchema
  const query = ((described.parameters ?? []) as JsonSchema[])
    .filter((one) => one.in === 'query')
    .map((one) => String(one.name))
  const text = anyText(ids)
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, text, { maxKeys: 2 }),
  )
  return fc
    .record({
      id: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids.own, ...ids.foreign) }, text),
      query: fc.array(fc.tuple(fc.constantFrom('page', 'per_page', 'search', 'unknown', ...query), text), {
        maxLength: 4,
      }),
      body: bodyOf(described, value),
      key: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.string({ maxLength: 20 })),
      language: fc.constantFrom('ar', 'en', 'ar;q=0.x,en', '*', ';;;'),
      type: fc.oneof(
        { weight: 12, arbitrary: fc.constant('application/json') },
        fc.constantFrom('text/plain', 'application/json; charset=latin1', 'x'),
      ),
    })
    .map(({ id, query, body, key, language, type }) => {
      const search = query.map(([name, one]) => `${name}=${encode(one)}`).join('&')
      const headers: Record<string, string> = { 'accept-language': language }
      if (key !== null && /^[\x20-\x7e]+$/.test(key.trim())) headers['idempotency-key'] = key.trim()
      if (operation.writes) headers['content-type'] = type
      const url = http.path.replace('{id}', segment(id)) + (search ? `?${search}` : '')
      return { operation, url, method: http.method, headers, body: operation.writes ? body : null }
    })
}

/** Often the described example with some fields replaced, sometimes no JSON at all. */
function bodyOf(described: JsonSchema, value: fc.Arbitrary<unknown>): fc.Arbitrary<string | Buffer> {
  const content = ((described.requestBody as JsonSchema | undefined)?.content ?? {}) as Record<
    string,
    { schema: JsonSchema }
  >
  const schema = content['application/json']?.schema ?? { type: 'object', properties: {} }
  const example = exampleOf(schema, document.components.schemas) as Record<string, unknown>
  const names = Object.keys(example)
  const mutated = fc
    .tuple(
      fc.subarray(names),
      names.length > 0
        ? fc.dictionary(fc.constantFrom(...names, '__proto__', 'id', 'tenant_id'), value, { maxKeys: 3 })
        : fc.constant({}),
    )
    .map(([kept, changed]) =>
      JSON.stringify({ ...Object.fromEntries(kept.map((name) => [name, example[name]])), ...changed }),
    )
  return fc.oneof(
    { weight: 8, arbitrary: mutated },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '['.repeat(5_000),
        `{"full_name":${'['.repeat(70)}${']'.repeat(70)}}`,
        '{"a":1}x',
        '\ufeff{}',
        '',
      ),
    },
  )
}

/** Percent-encodes also what is no text: a lone surrogate becomes the bytes it would have. */
const encode = (text: string): string =>
  [...text].map((one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('')

/** A path segment: neither empty nor one that the sender would resolve. */
const segment = (id: string): string => (['', '.', '..'].includes(id) ? '-' : encode(id))
