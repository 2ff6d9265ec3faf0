import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeStatement, sql } from '../../partner-services/sdk/sql.ts'

test('values bind, and text never carries them', () => {
  const hostile = "'; drop table loans; --"
  assert.deepEqual(encodeStatement(sql`select * from loans where id = ${hostile} and copies > ${3}`), {
    text: 'select * from loans where id = $1 and copies > $2',
    values: [hostile, 3],
  })
})

test('a nested fragment keeps its own values in order', () => {
  const late = sql`due_on < ${'2026-11-21'} and returned_at is null`
  const statement = sql`select ${sql`id`} from loans where student_id = ${'S'} and ${late} limit ${5}`
  assert.deepEqual(encodeStatement(statement), {
    text: 'select id from loans where student_id = $1 and due_on < $2 and returned_at is null limit $3',
    values: ['S', '2026-11-21', 5],
  })
})

test('a call that is no template is refused', () => {
  const tag = sql as unknown as (...parts: unknown[]) => unknown
  assert.throws(() => tag('select 1'), /template tag/)
  assert.throws(() => tag(['select 1']), /template tag/)
})

test('db takes nothing but statements of the tag, also not their likeness', () => {
  const likeness = { strings: ['select 1'], values: [] }
  assert.throws(() => encodeStatement(likeness as never), /sql tag only/)
  assert.throws(() => encodeStatement('select 1' as never), /sql tag only/)
})

test('what JSON cannot carry is written as text, and undefined is null', () => {
  assert.deepEqual(encodeStatement(sql`select ${2n ** 60n}, ${undefined}`).values, ['1152921504606846976', null])
})
