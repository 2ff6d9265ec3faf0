import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { operations } from '../../partner-services/registry.ts'
import { generateServices, isUpToDate } from '../../partner-services/sdk/generate.ts'
import { createTypeWriter, docComment } from '../../partner-services/sdk/schema-to-type.ts'

test('the types of services are what the operations say', () => {
  assert.ok(isUpToDate(), 'run: node host/launch.mjs --node partner-services/sdk/generate.ts')
})

test('every operation has a method that names its scope', () => {
  const text = generateServices()
  for (const { name, scope } of operations) {
    const method = name.split('.').at(-1)
    assert.match(text, new RegExp(`\\b${method}\\(`), name)
    if (scope) assert.ok(text.includes(`Scope: \`${scope}\`.`), scope)
  }
})

test('every operation that takes fields says that they may be wrong, and how large a page is', () => {
  const methods = generateServices().split('/**').slice(1)
  const about = (verb: string) => methods.filter((text) => new RegExp(`/apps/education/${verb}\``).test(text))
  for (const text of [...about('students'), ...about('students/\\{id\\}').slice(1)])
    assert.match(text, /@throws InvalidInputException/)
  assert.doesNotMatch(about('students/\\{id\\}')[0]!, /@throws InvalidInputException/)
  assert.match(generateServices(), /\/\*\* 1 to 100, 20 unless given \*\/\n +per_page\?: number/)
  assert.match(generateServices(), /\/\*\* 1 to 100, 50 unless given \*\/\n +per_page\?: number/)
})

const typeOf = (schema: z.ZodType) => createTypeWriter().type(z.toJSONSchema(schema, { io: 'input' }), 0)

test('schemas become the types they mean', () => {
  assert.equal(typeOf(z.string().nullable()), 'string | null')
  assert.equal(typeOf(z.array(z.enum(['a', 'b']))), "('a' | 'b')[]")
  assert.equal(typeOf(z.record(z.string(), z.number())), 'Record<string, number>')
  assert.equal(typeOf(z.unknown()), 'unknown')
  assert.equal(
    typeOf(z.object({ a: z.int(), 'b-c': z.boolean().optional(), d: z.string().default('x') })),
    "{\n  a: number\n  'b-c'?: boolean\n  d?: string\n}",
  )
})

test('a description cannot end its comment', () => {
  assert.equal(docComment(['a */ let x'], 0), '/** a * / let x */\n')
})
