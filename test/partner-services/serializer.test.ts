import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { compileSerializer } from '../../partner-services/service/serializer.ts'

test('a field that the schema does not name is not written, in named and nested schemas too', () => {
  const inner = z.object({ id: z.string(), note: z.string().nullable() }).meta({ id: 'SerializerInner' })
  const write = compileSerializer(z.object({ data: z.array(inner), one: inner.nullable(), total: z.int() }))
  const record = { id: 'a', note: null, secret: 's' }
  assert.deepEqual(JSON.parse(write({ data: [record], one: record, total: 1, secret: 's' })), {
    data: [{ id: 'a', note: null }],
    one: { id: 'a', note: null },
    total: 1,
  })
  assert.equal(JSON.parse(write({ data: [], one: null, total: 0 })).one, null)
})
