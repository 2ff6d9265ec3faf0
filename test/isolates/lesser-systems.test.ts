import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JailSystem } from '../../host/jail/jail.ts'
import { buildRunnerJail, type RunnerJail } from '../../host/isolates/runner-jail.ts'
import { copiedImage, installedImage, type RunnerScript } from '../../host/isolates/runner-image.ts'
import type { Limits } from '../../host/isolates/limits.ts'
import { startSandbox } from './support.ts'

const root = process.getuid?.() === 0
const without =
  (...tools: string[]): JailSystem<RunnerScript>['succeeds'] =>
  (command) =>
    !command.some((word) => tools.includes(word))
const missing = (jail: RunnerJail, name: string) => jail.report.missing.find((line) => line.startsWith(name))

async function answersUnder(jail: RunnerJail): Promise<void> {
  const sandbox = await startSandbox({}, { jail, spares: 0, runners: 0 })
  try {
    const answer = await sandbox.run('any', '() => 1')
    assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '1')
  } finally {
    await sandbox.close()
  }
}

test('without unshare and setpriv modules still run, and the start log says what is missing', async () => {
  const jail = buildRunnerJail({ succeeds: without('unshare', 'setpriv') })
  assert.match(missing(jail, 'empty network namespace') ?? '', /this system does not allow it/)
  assert.match(missing(jail, 'no new privileges') ?? '', /this system does not allow it/)
  assert.match(missing(jail, 'own system user') ?? '', /./)
  await answersUnder(jail)
})

test('an ordinary user starts runners as itself and the start log says so', async () => {
  const jail = buildRunnerJail({ root: false, succeeds: without('unshare') })
  assert.match(missing(jail, 'own system user') ?? '', /not root/)
  await answersUnder(jail)
})

test('without taskset runners that burn use every core, and the start log says so', async () => {
  const jail = buildRunnerJail({ succeeds: without('taskset') })
  assert.match(missing(jail, 'off the first core') ?? '', /does not allow/)
  await answersUnder(jail)
})

test('without control groups runners are nice, whatever their guests do', async () => {
  const sandbox = await startSandbox(
    {},
    { jail: { ...buildRunnerJail(), makeGroup: undefined }, spares: 0, runners: 1 },
  )
  try {
    const burn = '() => { for (const end = Date.now() + 150; Date.now() < end; ); return 1 }'
    for (let calls = 0; calls < 3; calls++) {
      const answer = await sandbox.run('burner', burn)
      assert.equal(answer.ok ? jsonOf(answer) : answer.error.message, '1')
    }
    assert.deepEqual(
      sandbox.pool.stats().runners.map(({ pid }) => getPriority(Number(pid))),
      [10, 10],
    )
  } finally {
    await sandbox.close()
  }
})

test('root without CAP_SYS_NICE starts runners nice already, and the start log says what they keep', {
  skip: !root,
}, async (t) => {
  const procPath = mkdtempSync(join(tmpdir(), 'partner-proc-'))
  try {
    mkdirSync(join(procPath, 'self'))
    writeFileSync(join(procPath, 'self', 'status'), 'CapEff:\t000001fffe7fffff\nCpus_allowed_list:\t0-1\n')
    const jail = buildRunnerJail({ procPath })
    if (jail.user === null) return t.skip('this system gives runners no user of their own')
    assert.match(missing(jail, 'off the first core') ?? '', /CAP_SYS_NICE/)
    const { program, args } = jail.command('main', '{}')
    const at = args.indexOf('--permission')
    const { stdout } = spawnSync(program, [...args.slice(0, at), '-p', 'require("os").getPriority()'], {
      encoding: 'utf8',
    })
    assert.equal(stdout.trim(), '10')
    jail.remove()
  } finally {
    rmSync(procPath, { recursive: true })
  }
})

test('another system names itself in what is missing', () => {
  const jail = buildRunnerJail({ platform: 'darwin', root: false, procPath: '/nowhere' })
  const walls = ['empty network namespace', 'no new privileges', 'the CPU only while nobody else', 'off the first core']
  for (const name of walls) assert.match(missing(jail, name) ?? '', /darwin/)
})

test('a checkout that the user of the runners cannot read is copied to where it can', { skip: !root }, async () => {
  const closed = copiedImage()
  chmodSync(closed.readable[0]!, 0o700)
  const jail = buildRunnerJail({ installed: closed })
  try {
    if (missing(jail, 'no new privileges')) return
    assert.ok(jail.report.inForce.some((line) => line.endsWith('from a copy of the runner')))
    await answersUnder(jail)
  } finally {
    closed.remove()
  }
})

test('where nothing can be kept beside the packages runners start from scripts of their own, and these go with the host', async () => {
  const installed = installedImage(() => undefined)
  const [folder = ''] = installed.readable
  await answersUnder(buildRunnerJail({ installed }))
  assert.ok(!existsSync(folder))
})

test('without /proc a stuck runner is still found, by its silence', async () => {
  const jail = buildRunnerJail({ procPath: '/nowhere' })
  assert.match(missing(jail, 'CPU time and memory') ?? '', /silence alone/)
  const limits: Partial<Limits> = { silenceMs: 500 }
  const sandbox = await startSandbox(limits, { jail })
  const stuck = '(entry) => (entry === "stick" ? Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) : entry)'
  try {
    await sandbox.run('stuck', stuck)
    const answer = await sandbox.run('stuck', stuck, { entry: 'stick' })
    assert.equal(!answer.ok && answer.error.kind, 'runner_lost')
    assert.match((!answer.ok && answer.error.message) || '', /silent/)
  } finally {
    await sandbox.close()
  }
})
