import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'
import { isRunning, processesBelow } from '../support/process-tree.ts'
import { signIn } from './browser.ts'
import { embeddedSuperuser } from './embedded-superuser.ts'
import { writeModule } from './module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from './started-host.ts'

type User = { username: string; password: string }

const folder = await hostFolder()
const sources = temporaryFolder()
let host: StartedHost
let teacher: User
let metricsPort: number

before(async () => {
  metricsPort = await freePort()
  const settings = { WEB_PROCESSES: '2', METRICS_PORT: String(metricsPort) }
  host = await startHostProcess(folder.path, ['--no-samples'], settings)
  const { tenants } = (await partner('sandbox')) as { tenants: [{ id: string; users: User[] }] }
  teacher = tenants[0].users.find(({ username }) => username === 'teacher')!
  const source = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: {
      'GET /': async () => json('fine'),
      'GET /slow': async () => { await new Promise((done) => setTimeout(done, 1500)); return json('late') },
    } })`
  await partner('publish', writeModule(sources.path, 'plain', { 'src/index.ts': source }), '--approve')
  await partner('install', 'plain', '--tenant', tenants[0].id, '--yes')
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

async function partner(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', host.url]).ended
  assert.equal(code, 0, stdout + stderr)
  return JSON.parse(stdout)
}

const processesOf = (entry: string) => processesBelow(host.process.pid!, entry)

/** Kills one process of a kind, as the kernel does when memory runs out, and waits for another in its place. */
async function killOne(entry: string): Promise<void> {
  const before = processesOf(entry)
  assert.ok(before.length > 0, entry)
  process.kill(before[0]!, 'SIGKILL')
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(50)) {
    const now = processesOf(entry)
    if (!now.includes(before[0]!) && now.length >= before.length) return
  }
  assert.fail(`${entry} was not replaced`)
}

/** Whether anybody may connect anew to the host's database. */
async function allowConnections(allowed: boolean): Promise<void> {
  const client = new pg.Client({ ...embeddedSuperuser(folder.path), database: 'template1' })
  await client.connect()
  try {
    await client.query(`alter database partner with allow_connections ${allowed}`)
  } finally {
    await client.end()
  }
}

async function serves(): Promise<void> {
  const browser = await signIn(host.url, teacher)
  const { status, text } = await browser.get('/m/plain', { accept: 'application/json' })
  assert.deepEqual([status, text], [200, '"fine"'])
  assert.equal((await fetch(`${host.url}/readyz`)).status, 200)
}

/** Each connection that is kept open to one that died fails once; the first answer after them has to be right. */
async function servesAgain(): Promise<void> {
  for (const end = Date.now() + 20_000; ; ) {
    const error = await serves().then(
      () => null,
      (thrown: Error) => thrown,
    )
    if (error === null) return
    if (!(error instanceof TypeError) || Date.now() > end) throw error
    await pause(50)
  }
}

test('a web process that hangs holds up no metrics, which tell that it is silent', async () => {
  const metrics = async () =>
    (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(8_000) })).text()
  assert.match(await metrics(), /^partner_web_processes\{state="silent"\} 0$/m)
  const [hanging] = processesOf('web/main.ts')
  process.kill(hanging!, 'SIGSTOP')
  try {
    const text = await metrics()
    assert.match(text, /^partner_web_processes\{state="answered"\} 1$/m)
    assert.match(text, /^partner_web_processes\{state="silent"\} 1$/m)
    assert.match(text, /^process_cpu_seconds_total/m)
  } finally {
    process.kill(hanging!, 'SIGCONT')
  }
})

test('metrics of all web processes stand on a port of their own, and nowhere else', async () => {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  assert.match(answer.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  assert.match(await answer.text(), /^process_cpu_seconds_total \d/m)
  assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status, 404)
  assert.equal((await fetch(`${host.url}/metrics`)).status, 404)
})

test('a web process that dies while it is asked for its metrics is left out of them, and the host goes on', async () => {
  const [hanging] = processesOf('web/main.ts')
  process.kill(hanging!, 'SIGSTOP')
  const metrics = fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  // It is answered after the other was asked for.
  await fetch(`http://127.0.0.1:${metricsPort}/`)
  process.kill(hanging!, 'SIGKILL')
  assert.match(await (await metrics).text(), /^process_cpu_seconds_total \d/m)
  await servesAgain()
})

test('the key and the credential of an operator are kept for their user alone', async () => {
  const credential = join(homedir(), '.partner', `${new URL(host.url).host}.json`)
  for (const file of [credential, join(folder.path, 'host-key'), join(folder.path, 'database-password')])
    assert.equal(statSync(file).mode & 0o777, 0o600, file)
})

test('a web process that is killed is replaced while the other serves; when all are killed, all are replaced', async () => {
  await serves()
  const [one] = processesOf('web/main.ts')
  process.kill(one!, 'SIGKILL')
  await servesAgain()
  for (const pid of processesOf('web/main.ts')) process.kill(pid, 'SIGKILL')
  const refused = () =>
    fetch(`${host.url}/healthz`).then(
      () => false,
      () => true,
    )
  for (const end = Date.now() + 20_000; await refused(); await pause(50)) assert.ok(Date.now() < end, 'not replaced')
  await servesAgain()
})

test('runners that are killed are replaced, the last of each kind too', async () => {
  for (let time = 0; time < 3; time++) {
    await killOne('runner.mjs')
    await serves()
  }
})

test('a publisher that is killed is replaced, and publishes', async () => {
  await killOne('publishing/main.ts')
  const source = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: { 'GET /': async () => json('fine') } })`
  const dir = writeModule(sources.path, 'later', { 'src/index.ts': source })
  assert.equal(((await partner('publish', dir, '--approve')) as { slug: string }).slug, 'later')
  await serves()
})

test('a publisher that is replaced while the database is away publishes once it is back', async () => {
  const source = `import { defineModule, json } from '@partner/sdk'
    export default defineModule({ routes: { 'GET /': async () => json('fine') } })`
  const dir = writeModule(sources.path, 'after', { 'src/index.ts': source })
  const publish = () => runPartner(['publish', dir, '--approve', '--url', host.url]).ended
  await allowConnections(false)
  try {
    process.kill(processesOf('publishing/main.ts')[0]!, 'SIGKILL')
    const { code, stderr } = await publish()
    assert.equal(code, 1)
    assert.match(stderr, /unavailable/)
  } finally {
    await allowConnections(true)
  }
  for (const end = Date.now() + 20_000; (await publish()).code !== 0; )
    assert.ok(Date.now() < end, 'it never publishes')
})

test('a database that is killed is started again; until then the host says that it is not ready', async () => {
  const [postmaster] = processesOf('postgres\0-D')
  process.kill(postmaster!, 'SIGKILL')
  const seen = new Set<number>()
  for (const end = Date.now() + 20_000; !seen.has(503) || !seen.has(200); await pause(20)) {
    assert.ok(Date.now() < end, `seen: ${[...seen]}`)
    const { status } = await fetch(`${host.url}/readyz`)
    // Before anything is noticed it is still ready.
    if (status === 503 || seen.has(503)) seen.add(status)
  }
  await serves().catch(serves)
})

test('SIGTERM lets a request in flight finish, takes no new one, and ends with exit code 0', async () => {
  const { cookie } = await signIn(host.url, teacher)
  const slow = fetch(`${host.url}/m/plain/slow`, { headers: { cookie, accept: 'application/json' } })
  await pause(300)
  const asked = Date.now()
  const ended = host.stop()
  const answer = await slow
  assert.deepEqual([answer.status, await answer.text()], [200, '"late"'])
  assert.equal((await ended).code, 0)
  assert.ok(Date.now() - asked < 8_000, 'a kept-alive connection does not hold it up')
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ECONNREFUSED')
})

for (const signal of ['SIGINT', 'SIGHUP'] as const)
  test(`${signal} to the whole group, as from a terminal or a service manager, is one clean stop`, async () => {
    host = await startHostProcess(folder.path, ['--no-samples'], { WEB_PROCESSES: '2' })
    const all = processesOf('')
    const { cookie } = await signIn(host.url, teacher)
    const slow = fetch(`${host.url}/m/plain/slow`, { headers: { cookie, accept: 'application/json' } })
    await pause(300)
    process.kill(-host.process.pid!, signal)
    const answer = await slow
    assert.deepEqual([answer.status, await answer.text()], [200, '"late"'])
    const { code, stderr } = await host.ended
    assert.equal(code, 0)
    const complaints = stderr.split('\n').filter((line) => line && JSON.parse(line).level > 30)
    assert.deepEqual(complaints, [], 'no process is missed, none started in the place of one that was told to end')
    assert.deepEqual(all.filter(isRunning), [], 'nothing is left running')
  })
