import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, test } from 'node:test'
import { buildBuilderJail, type BuilderJail, startBuilder } from '../../host/builder/builder.ts'
import { builderImage } from '../../host/builder/image.ts'
import { BuilderFailure } from '../../host/builder/builder-failure.ts'
import { makeSourceFolder, type SourceFiles } from '../../host/publishing/source/source-files.ts'
import { emptySchema } from '../../policy/migrations/known-schema.ts'

const jail = buildBuilderJail()
after(() => jail.remove())

const manifest = {
  moduleId: 'probe',
  displayName: 'Probe',
  version: '1.0.0',
  category: 'test',
  description: 'A module of the tests.',
  integrationType: 'embedded',
}
const files = (given: Record<string, string>) =>
  Object.fromEntries(
    Object.entries({ 'manifest.json': JSON.stringify(manifest), ...given }).map(([name, text]) => [
      name,
      Buffer.from(text).toString('base64'),
    ]),
  )
const source = `import { defineModule, html } from '@partner/sdk'
export default defineModule({ routes: { 'GET /': async () => html\`<p>hello</p>\` } })
`

async function withBuilder<Result>(
  given: Record<string, string>,
  limits: { timeLimit?: number; memoryMb?: number; jail?: BuilderJail },
  work: (builder: ReturnType<typeof startBuilder>) => Promise<Result>,
): Promise<Result> {
  const unpacked = unpackSource(files(given), jail.user)
  const builder = startBuilder({ jail, folder: unpacked.folder, ...limits })
  try {
    return await work(builder)
  } finally {
    builder.close()
    unpacked.remove()
  }
}

function unpackSource(given: SourceFiles, user: number | null) {
  const source = makeSourceFolder(user)
  source.write(given)
  return source
}

const failed = (code: string) => (error: unknown) => error instanceof BuilderFailure && error.code === code

test('in a checkout that its user cannot reach it is that user all the same, from a mount of the checkout', async (t) => {
  const checkout = builderImage()
  const closed = buildBuilderJail({ installed: { ...checkout, needed: ['/root/no such checkout'] } })
  t.after(() => closed.remove())
  if (jail.user === null) return t.skip('this system gives builders no user of their own')
  assert.equal(closed.user, jail.user)
  assert.deepEqual(closed.report.missing, jail.report.missing)
  assert.ok(closed.report.inForce.includes(`own system user (${jail.user}), from a mount of the checkout`))

  const { args } = closed.command('builder', '{}')
  assert.ok(args.some((part) => part.endsWith('/host/builder/main.ts')))
  assert.ok(!args.includes(checkout.scripts.builder))
  const answer = await withBuilder({ 'src/index.ts': source }, { jail: closed }, (builder) => builder.ask('bundle'))
  assert.ok('bundle' in answer, JSON.stringify(answer))
})

test('it is nice to the platform, and so is its session, which Linux weighs as a whole', async (t) => {
  const pids: number[] = []
  const settle: BuilderJail['settle'] = (pid, rank) => {
    pids.push(pid)
    jail.settle(pid, rank)
  }
  await withBuilder({}, { jail: { ...jail, settle } }, async (builder) => {
    await builder.ask('migrations')
    const [pid] = pids
    assert.equal(getPriority(pid!), 10)
    const group = `/proc/${pid}/autogroup`
    if (!existsSync(group)) return t.skip('this system weighs no sessions')
    assert.match(readFileSync(group, 'utf8'), /nice 10$/m)
  })
})

test('one builder scans, bundles and plans a module in a folder that only it can read', async () => {
  const sql = 'create table books (id char(26) primary key, title text not null);'
  await withBuilder({ 'src/index.ts': source, 'migrations/2026_01_01_000001_books.sql': sql }, {}, async (builder) => {
    const [scan, bundle, { migrations }] = await Promise.all([
      builder.ask('scan'),
      builder.ask('bundle'),
      builder.ask('migrations'),
    ])
    assert.deepEqual(scan.findings, [])
    assert.ok('bundle' in bundle && bundle.bundle.code.includes('hello'))
    const target = { schema: 'm_probe', runSchema: 's_probe', runtimeRole: 's_probe_rt', knownTables: [] }
    const ask = (id: string) =>
      builder.ask('plan', { version: migrations[0]!.version, run: { id, known: emptySchema() }, target })
    const [first, again] = [await ask('one'), await ask('two')]
    assert.ok(first.ok && first.statements.some(({ sql: text }) => /row level security/.test(text)))
    assert.deepEqual(again, first)
  })
})

test('a builder that takes too long, too much memory, or dies is a typed failure, and nothing of it is left', async () => {
  const ask = (limits: Parameters<typeof withBuilder>[1]) =>
    withBuilder({ 'src/index.ts': source }, limits, (builder) => builder.ask('scan'))
  await assert.rejects(ask({ timeLimit: 5 }), failed('timeout'))
  if (process.platform === 'linux') await assert.rejects(ask({ memoryMb: 10 }), failed('memory'))
  await assert.rejects(ask({ jail: running('process.exit(3)') }), failed('died'))
  await assert.rejects(ask({ jail: running('for (;;);'), timeLimit: 300 }), failed('timeout'))
  await gone()
})

test('what a builder answers is taken for no more than it is', async () => {
  const answer = (message: unknown) =>
    `const t = Buffer.from(${JSON.stringify(JSON.stringify(message))}); const h = Buffer.alloc(4); h.writeUInt32LE(t.length);
     require('node:fs').writeSync(3, Buffer.concat([h, t])); setInterval(() => {}, 1000)`
  const ask = (script: string) =>
    withBuilder({}, { jail: running(script), timeLimit: 5_000 }, (builder) => builder.ask('scan'))
  await assert.rejects(ask(answer({ id: 1, result: { findings: 'none' } })), failed('died'))
  await assert.rejects(ask(answer({ id: 'x' })), failed('died'))
  await assert.rejects(ask(`require('node:fs').writeSync(3, Buffer.from([255, 255, 255, 255]))`), failed('died'))
  await assert.rejects(ask(`require('node:fs').writeSync(3, Buffer.from([2, 0, 0, 0, 123, 123]))`), failed('died'))
})

test('the builder reads its own code and its one folder, writes nothing and has no environment', () => {
  const unpacked = unpackSource(files({}), jail.user)
  const { program, args } = jail.command('builder', '{}', [unpacked.folder])
  const probe = `
    const fs = require('node:fs')
    const refused = (attempt) => { try { attempt(); return false } catch (error) { return error.code } }
    console.log(JSON.stringify([
      refused(() => fs.readFileSync('/etc/passwd')),
      refused(() => fs.readdirSync(${JSON.stringify(process.cwd())})),
      refused(() => fs.writeFileSync('/tmp/partner-builder-probe', '')),
      refused(() => fs.readFileSync(${JSON.stringify(`${unpacked.folder}/manifest.json`)})),
      Object.keys(process.env).length,
    ]))`
  const probed = spawnSync(program, [...args.slice(0, -2), '-e', probe], { encoding: 'utf8', env: {}, cwd: '/' })
  unpacked.remove()
  const denied = 'ERR_ACCESS_DENIED'
  assert.deepEqual(JSON.parse(probed.stdout), [denied, denied, denied, false, 0], probed.stderr)
})

/** A process in the builder's place. */
const running = (script: string): BuilderJail => ({
  ...jail,
  command: () => ({ program: process.execPath, args: ['-e', script] }),
})

/** Every child that this test started has ended. */
async function gone(): Promise<void> {
  if (process.platform !== 'linux') return
  const children = () =>
    readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
  const deadline = Date.now() + 5_000
  while (children().length > 0) {
    assert.ok(Date.now() < deadline, `left running: ${children().join()}`)
    await new Promise((done) => setImmediate(done))
  }
}
