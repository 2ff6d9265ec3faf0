import assert from 'node:assert/strict'
import { readFileSync, readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, test } from 'node:test'
import { buildRunnerJail } from '../../host/isolates/runner-jail.ts'
import { copiedImage } from '../../host/isolates/runner-image.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())
const pids = () => sandbox.pool.stats().runners.map((runner) => Number(runner.pid))
const holds = (name: string) => sandbox.pool.jail.inForce.some((line) => line.startsWith(name))
const status = (pid: number, field: string) =>
  new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]

test('the report names what is in force and why the rest is missing', () => {
  const { inForce, missing } = sandbox.pool.jail
  assert.ok(inForce.length + missing.length >= 7)
  for (const line of missing) assert.match(line, /: ./)
})

test('what the report claims is what the system says of every runner', { skip: process.platform !== 'linux' }, () => {
  for (const pid of pids()) {
    if (holds('own system user')) {
      for (const field of ['Uid', 'Gid']) assert.deepEqual(status(pid, field)?.split('\t'), Array(4).fill('65534'))
      assert.equal(status(pid, 'Groups')?.trim(), '')
    }
    if (holds('no new privileges')) {
      assert.equal(status(pid, 'NoNewPrivs'), '1')
      assert.match(status(pid, 'CapEff') ?? '', /^0+$/)
      for (const field of ['CapBnd', 'CapInh', 'CapPrm', 'CapAmb']) assert.match(status(pid, field) ?? '', /^0+$/)
    }
    if (holds('empty network')) assert.notEqual(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
    if (holds('nice')) assert.equal(getPriority(pid), 10)
    assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
  }
})

test('the jailed Node reads its own files and no others, starts no process, no worker and opens no file for writing', async () => {
  const jail = buildRunnerJail()
  const { program, args } = jail.command('main', '{}')
  const probe = `
    const refused = (attempt) => { try { attempt(); return false } catch (error) { return error.code === 'ERR_ACCESS_DENIED' } }
    console.log(JSON.stringify([
      refused(() => require('node:fs').readFileSync('/etc/passwd')),
      refused(() => require('node:fs').writeFileSync('/tmp/partner-jail-probe', '')),
      refused(() => require('node:child_process').spawnSync('true')),
      refused(() => new (require('node:worker_threads').Worker)('1', { eval: true })),
      Object.keys(process.env).length,
    ]))`
  const { spawnSync } = await import('node:child_process')
  const probed = spawnSync(program, [...args.slice(0, -2), '-e', probe], { encoding: 'utf8', env: {} })
  assert.deepEqual(JSON.parse(probed.stdout), [true, true, true, true, 0], probed.stderr)
  jail.remove()
})

test('a runner starts from a copy when its user cannot read the checkout', async () => {
  const image = copiedImage()
  try {
    const { spawnSync } = await import('node:child_process')
    const read = image.readable.map((path) => `--allow-fs-read=${path}`)
    const script = 'require("isolated-vm"); new (require("isolated-vm").Isolate)().dispose(); console.log("loaded")'
    const started = spawnSync(
      image.node,
      ['--no-node-snapshot', '--permission', '--allow-addons', ...read, '-e', script],
      {
        encoding: 'utf8',
        env: {},
        cwd: image.readable[0],
      },
    )
    assert.match(started.stdout, /loaded/, started.stderr)
  } finally {
    image.remove()
  }
})
