import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestTenant, type TestTenant } from '../../partner-services/sdk/testing.ts'
import { moduleFolder } from '../bundling/module-folder.ts'

const manifest = {
  moduleId: 'refused_probe',
  displayName: 'Refused probe',
  version: '1.0.0',
  category: 'education',
  description: 'Asks for what it may not have.',
  integrationType: 'embedded',
  scopes: [
    { key: 'education.students.write', required: true, reason: 'Creates a student without a name.' },
    { key: 'education.students.read', required: false, reason: 'Left out by the school.' },
  ],
}

const index = `import { DatabaseException, defineModule, InvalidInputException, MissingScopeException, sql } from '@partner/sdk'

async function caught(run, type, field) {
  try {
    await run()
  } catch (error) {
    return { known: error instanceof type, code: error.code, status: error.status, value: error[field] }
  }
}
const insert = sql\`insert into notes (id, body) values (\${'01ARZ3NDEKTSV4RRFFQ69G5FAV'}, \${'a'})\`

export default defineModule({
  routes: {
    'GET /scope': ({ services }) => caught(() => services.education.students.list(), MissingScopeException, 'scope'),
    'GET /invalid': ({ services }) =>
      caught(() => services.education.students.create({ full_name: '' }), InvalidInputException, 'errors'),
    'GET /twice': ({ db }) =>
      caught(() => db.transaction(async (tx) => [await tx.execute(insert), await tx.execute(insert)]), DatabaseException, 'name'),
    'GET /count': ({ db }) => db.row(sql\`select count(*)::integer as count from notes\`),
    'GET /uncaught': ({ services }) => services.education.students.list(),
    'POST /uncaught': ({ services }) => services.education.students.create({ full_name: '', gender: 'other' }),
    'GET /broken': ({ log }) => {
      log.info('before')
      return undefined.field
    },
  },
})
`

let tenant: TestTenant
const cleanups: (() => void)[] = []
before(async () => {
  const folder = moduleFolder(
    { after: (run) => cleanups.push(run) },
    {
      'manifest.json': JSON.stringify(manifest),
      'src/index.ts': index,
      'migrations/2026_09_01_080000_create_notes.sql':
        'create table notes (id char(26) primary key, body text not null);',
    },
  )
  tenant = await startTestTenant({ module: folder })
})
after(async () => {
  await tenant.stop()
  for (const clean of cleanups) clean()
})

/** The bridge drops `scope`, `errors` and database codes until it hands them on where the isolates' client looks. */

const json = async (path: string) => (await tenant.invoke(path)).json()

test('a transaction that fails leaves nothing', async () => {
  await tenant.invoke('/twice')
  assert.deepEqual(await json('/count'), { count: 0 })
})

test("an uncaught refusal keeps its status; the partner's log names the partner's line", async () => {
  const { status, log } = await tenant.invoke('/uncaught')
  assert.equal(status, 403)
  assert.match(log.map(({ message }) => message).join('\n'), /MissingScopeException[\s\S]*src\/index\.ts:\d+/)
})

test("an error of the module's own is a 500 with its file and line in the log only", async () => {
  const { status, text, log } = await tenant.invoke('/broken')
  assert.deepEqual([status, text], [500, ''])
  assert.deepEqual(log[0], { level: 'info', message: 'before' })
  assert.match(log[1]!.message, /reading 'field'[\s\S]*src\/index\.ts:24:/)
})

test('a missing scope is named', async () => {
  const value = 'education.students.read'
  assert.deepEqual(await json('/scope'), { known: true, code: 'scope_not_granted', status: 403, value })
})

test('wrong fields are named', async () => {
  const { value, ...rest } = (await json('/invalid')) as { value: Record<string, string[]> }
  assert.deepEqual(rest, { known: true, code: 'invalid_data', status: 422 })
  assert.deepEqual(Object.keys(value), ['full_name'])
})

test('a violated key is a database exception with its code', async () => {
  const { known, code } = (await json('/twice')) as { known: boolean; code: string }
  assert.deepEqual([known, code], [true, 'unique_violation'])
})

test('wrong fields that a module lets through are told to who called it, and stand in its log', async () => {
  const { status, errors, log } = await tenant.invoke('/uncaught', { data: {} })
  assert.deepEqual([status, Object.keys(errors ?? {}).sort()], [422, ['full_name', 'gender']])
  const { level, message } = log.at(-1)!
  assert.equal(level, 'error')
  for (const [field, [told]] of Object.entries(errors!)) assert.ok(message.includes(`\n${field}: ${told}\n`), message)
  assert.match(message, /^threw: The given data was invalid\.\n[\s\S]*src\/index\.ts:\d+/)
  assert.equal((await tenant.invoke('/uncaught')).errors, undefined)
})
