import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinOutcomes, sqlCheck } from '../../../policy/sql/command.ts'

const options = { profile: 'migration', schema: 'm_alpha' } as const

test('each statement has a verdict with its line, the refused ones rule and reason', async () => {
  const text = `-- é notes\ncreate table a (id int primary key);\n\n/* now */ drop schema x;\ninsert into a (id)\nvalues (1)`
  assert.deepEqual(await sqlCheck(text, options), {
    exitCode: 1,
    report: {
      statements: [
        { index: 0, line: 2, verdict: 'allowed' },
        { index: 1, line: 4, verdict: 'refused', rule: 'drop', reason: 'DROP SCHEMA' },
        { index: 2, line: 5, verdict: 'allowed' },
      ],
    },
  })
})

test('what does not parse answers 2, with the line of the error', async () => {
  const { exitCode, report } = await sqlCheck('create table a (id int);\ncreate tabel b (id int)', options)
  assert.equal(exitCode, 2)
  assert.deepEqual(
    report.statements.map(({ line, rule }) => ({ line, rule })),
    [{ line: 2, rule: 'syntax' }],
  )
})

test('several texts give one report with the worst exit code', async () => {
  const joined = joinOutcomes([await sqlCheck('drop table a', options), await sqlCheck('grant all on a to b', options)])
  assert.equal(joined.exitCode, 1)
  assert.deepEqual(
    joined.report.statements.map(({ verdict }) => verdict),
    ['allowed', 'refused'],
  )
})

test('a text is as large as what is judged may be: a migration as its import takes it, a statement as it runs', async () => {
  const sized = (bytes: number, sql: string) => sql.replace('_', 'x'.repeat(bytes - sql.length + 1))
  const insert = "insert into a (body) values ('_')"
  const runtime = { ...options, profile: 'runtime' } as const
  const exits = async (text: string, of: typeof options | typeof runtime) => (await sqlCheck(text, of)).exitCode
  assert.deepEqual([await exits(sized(262_144, insert), options), await exits(sized(262_145, insert), options)], [0, 2])
  assert.deepEqual([await exits(sized(65_536, insert), runtime), await exits(sized(65_537, insert), runtime)], [0, 2])
})
