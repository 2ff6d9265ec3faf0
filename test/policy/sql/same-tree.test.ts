import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { loadGuard } from '../../../policy/sql/guard.ts'
import { parseSql } from '../../../policy/sql/parse.ts'
import { isSameTree } from '../../../policy/sql/same-tree.ts'

before(loadGuard)

const treeOf = (text: string) => {
  const parsed = parseSql(text)
  assert.ok(parsed.ok)
  return parsed.statements[0]!.stmt
}
const asks = (one: string, other: string) => {
  const [left, right] = [treeOf(one), treeOf(other)]
  assert.equal(isSameTree(left, right), isSameTree(right, left))
  return isSameTree(left, right)
}

test('one statement is the same however it is written', () => {
  assert.ok(asks('select a,b from t where c in (1,2)', 'SELECT "a" , b\nFROM t -- x\n WHERE c IN ( 1, 2 )'))
  assert.ok(asks('create table t (a int not null)', 'CREATE TABLE t(a pg_catalog.int4 NOT NULL)'))
})

test('what one says and the other does not makes them two, whichever comes first', () => {
  for (const [one, other] of [
    ['select a from t', 'select a from t where true'],
    ['select a, b from t', 'select a from t'],
    ['select a, b from t', 'select b, a from t'],
    ['select 1', 'select 2'],
    ['select 1', `select '1'`],
    ['select null', 'select false'],
    ['select array[1, 2]', 'select array[1, null]'],
    ['create unique index i on t (a)', 'create index i on t (a)'],
    ['create index i on t (a desc)', 'create index i on t (a)'],
  ] as const)
    assert.equal(asks(one, other), false, `${one} | ${other}`)
})

test('a field that is undefined is not there', () => {
  assert.ok(isSameTree({ a: 1, b: undefined }, { a: 1 }))
  assert.ok(isSameTree({ a: 1 }, { a: 1, b: undefined }))
  assert.equal(isSameTree({ a: [] }, { a: {} }), false)
  assert.equal(isSameTree({ a: null }, { a: {} }), false)
})
