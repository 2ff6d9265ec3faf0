import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findCredential, keepCredential } from '../../host/supervisor/operator-credential.ts'
import { isRunning, processesBelow } from '../support/process-tree.ts'
import { hostFolder, runPartner, startHostProcess, temporaryFolder } from './started-host.ts'

const folder = temporaryFolder()
after(() => folder.remove())

type Sandbox = { tenants: { id: string; users: { username: string; password: string }[] }[] }

async function sandboxOf(url: string): Promise<Sandbox> {
  const { code, stdout, stderr } = await runPartner(['sandbox', '--json', '--url', url]).ended
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

/** The host and all that it started. */
const processesOf = (pid: number): number[] => processesBelow(pid, '')

test('a host starts, answers, stops with exit code 0, and after a kill -9 of everything serves the same data', async () => {
  const first = await startHostProcess(folder.path)
  assert.equal((await fetch(`${first.url}/healthz`)).status, 200)
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  const before = await sandboxOf(first.url)
  assert.equal(before.tenants[0]!.users.length, 12)
  const { code, stdout } = await first.stop()
  assert.equal(code, 0)
  assert.match(stdout, /^ready http:\/\/127\.0\.0\.1:\d+\n$/)

  const second = await startHostProcess(folder.path, ['--no-samples', '--json'])
  // One of them may have ended meanwhile.
  spawnSync('kill', ['-9', ...processesOf(second.process.pid!).map(String)])
  assert.deepEqual(JSON.parse((await second.ended).stdout), { ready: second.url })

  const third = await startHostProcess(folder.path)
  assert.deepEqual(await sandboxOf(third.url), { ...before, ...urlsOf(third.url) })
  const left = processesOf(third.process.pid!)
  // The launcher alone is killed: what it started ends by itself, cleanly.
  third.process.kill('SIGKILL')
  await third.ended
  assert.deepEqual(left.filter(isRunning), [], 'nothing is left running')
})

test('a first start that is killed while its database is being made is begun anew by the next', async () => {
  const fresh = temporaryFolder()
  try {
    const first = runPartner(['start', '--no-samples'], { DATA_DIR: fresh.path, PORT: '0' })
    const begun = () => globSync('postgres*/PG_VERSION', { cwd: fresh.path }).length > 0
    for (const end = Date.now() + 20_000; !begun(); await pause(5)) assert.ok(Date.now() < end, 'nothing is made')
    spawnSync('kill', ['-9', ...processesOf(first.process.pid!).map(String)])
    await first.ended
    const second = await startHostProcess(fresh.path)
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200)
    assert.equal((await second.stop()).code, 0)
    assert.deepEqual(readdirSync(fresh.path).sort(), ['database-password', 'database-place', 'host-key', 'postgres'])
  } finally {
    fresh.remove()
  }
})

test('a host that listens on all addresses is asked by that of the loopback, and forgets its credentials as it ends', async () => {
  const everywhere = await hostFolder()
  try {
    for (const address of ['0.0.0.0', '::']) {
      const host = await startHostProcess(everywhere.path, ['--no-samples'], { HOST: address })
      const { port } = new URL(host.url)
      assert.equal((await sandboxOf(`http://127.0.0.1:${port}`)).tenants[0]!.users.length, 12)
      await host.stop()
      assert.deepEqual(globSync(`*:${port}.json`, { cwd: join(homedir(), '.partner') }), [])
    }
  } finally {
    everywhere.remove()
  }
})

test('a host that cannot forget its credential says so, ends all that it started, and exits with 1', async () => {
  const [data, home] = [await hostFolder(), temporaryFolder()]
  try {
    const host = await startHostProcess(data.path, ['--no-samples'], { HOME: home.path })
    const credential = join(home.path, '.partner', `${new URL(host.url).host}.json`)
    rmSync(credential)
    mkdirSync(credential)
    const all = processesOf(host.process.pid!)
    const { code, stderr } = await host.stop()
    assert.deepEqual(all.filter(isRunning), [], 'nothing is left running')
    const complaints = stderr.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
    const failed = complaints.filter(({ level }) => level > 30).map(({ err }) => err.code)
    assert.deepEqual([code, failed], [1, ['ERR_FS_EISDIR']], stderr)
  } finally {
    for (const folder of [data, home]) folder.remove()
  }
})

test('the credential of a host on localhost is found by the loopback’s address, which verbs ask unless told', () => {
  const kept = { url: 'http://localhost:1', token: 'op_x', partnersPath: '/partners' }
  const { forget } = keepCredential(kept)
  assert.deepEqual(findCredential('http://127.0.0.1:1'), { ...kept, url: 'http://127.0.0.1:1' })
  forget()
  assert.equal(findCredential('http://127.0.0.1:1'), null)
})

test('a credential that was kept for https is not sent in the clear', () => {
  const kept = { url: 'https://school.example', token: 'ppk_x', partnersPath: '/partners' }
  const { forget } = keepCredential(kept)
  try {
    assert.deepEqual(findCredential('https://school.example'), kept)
    assert.equal(findCredential('http://school.example'), null)
  } finally {
    forget()
  }
})

test('the credential of the loopback’s address is found by localhost, for that address alone; one of localhost comes first', () => {
  const kept = { url: 'http://127.0.0.1:1', token: 'op_x', partnersPath: '/partners' }
  const { forget } = keepCredential(kept)
  try {
    assert.deepEqual(findCredential('http://localhost:1'), kept)
    for (const other of ['http://localhost:2', 'http://localhost', 'http://localhost.example:1', 'http://[::1]:1'])
      assert.equal(findCredential(other), null, other)
    const own = { ...kept, url: 'http://localhost:1', token: 'op_y' }
    const { forget: forgetOwn } = keepCredential(own)
    assert.deepEqual(findCredential('http://localhost:1'), own)
    forgetOwn()
  } finally {
    forget()
  }
})

test('every verb finds the portal where PARTNERS_PATH puts it, a partner who signs in there too', async () => {
  const [moved, home] = [await hostFolder('--samples'), temporaryFolder()]
  const host = await startHostProcess(moved.path, [], { PARTNERS_PATH: '/mine' })
  const partner = async (args: string[], settings = {}, through: string[] = []) => {
    const { code, stdout, stderr } = await runPartner([...args, '--url', host.url, '--json'], settings, through).ended
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
  try {
    assert.equal((await partner(['deliveries', 'list', '--app', 'registrar'])).total, 0)
    const ofRegistrar = ['--app', 'registrar']
    await partner(['webhook', 'resume', ...ofRegistrar])
    assert.equal((await partner(['webhook', 'show', ...ofRegistrar])).webhook.paused_at, null)
    const recovered = await partner(['deliveries', 'recover', ...ofRegistrar, '--since', '2026-01-01T00:00:00Z'])
    assert.deepEqual(recovered, { recovered: 0, paused_at: null })
    assert.equal((await partner(['migrations', 'status', 'library'])).migrations.live.length, 2)
    assert.equal((await partner(['version', 'show', 'library', '1.0.0'])).version.state, 'published')
    const { key } = (await partner(['partners', 'add', 'A'])).partner
    const asPartner = { HOME: home.path, KEY: key }
    const typed = ['sh', '-c', 'echo "$KEY" | "$@"', 'sh']
    await partner(['login', '--partners-path', '/mine'], asPartner, typed)
    const module = fileURLToPath(new URL('../../modules/library', import.meta.url))
    const { stdout } = await runPartner(['publish', module, '--url', host.url, '--json'], asPartner).ended
    assert.equal(JSON.parse(stdout).message, 'the name library is taken')
  } finally {
    await host.stop()
    for (const folder of [moved, home]) folder.remove()
  }
})

const urlsOf = (url: string) => ({ base_url: `${url}/apps`, sandbox_base_url: `${url}/sandbox/apps` })
