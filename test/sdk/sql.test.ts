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

test('a value that JSON would lose is refused by the number of its parameter, and nothing is stored as null', () => {
  const statement = (value: unknown) => () => encodeStatement(sql`update a set b = ${1}, c = ${value}`)
  const lost: [unknown, string][] = [
    [Number('12a'), '$2 is NaN'],
    [-1 / 0, '$2 is -Infinity'],
    [() => 1, '$2 is a function'],
    [Symbol('x'), '$2 is a symbol'],
    [new Map([['a', 1]]), '$2 is a Map'],
    [new Set([1]), '$2 is a Set'],
    [Promise.resolve(1), '$2 is a Promise'],
    [new Date('no date'), '$2 is a Date of no moment'],
    [[1, Number.NaN], '$2[1] is NaN'],
    [[2n], '$2[0] is a bigint'],
    [{ marks: [{ of: 1 }, { of: Number.NaN }] }, '$2.marks[1].of is NaN'],
  ]
  for (const [value, told] of lost)
    assert.throws(statement(value), { name: 'TypeError', message: `${told}, which JSON cannot carry` })
  const carried = [0, '', null, false, [], {}, new Date(0), { a: undefined }, Object.create(null), [[1], [2]]]
  for (const value of carried) assert.deepEqual(statement(value)().values, [1, value])
  const shared = { a: 1 }
  assert.doesNotThrow(statement([shared, shared]))
})
