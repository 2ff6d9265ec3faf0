import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { useCluster } from '../support/cluster.ts'
import { heldTexts } from '../support/memory-of.ts'
import { processesBelow } from '../support/process-tree.ts'
import { runPartner, type StartedHost, startHostProcess, temporaryFolder } from './started-host.ts'

const folders = [temporaryFolder(), temporaryFolder()]
const database = `Outside-${process.pid}`
/** What a server of somebody else may have for its databases: formats, time limits and an isolation that are not usual. */
const strangeSettings = {
  datestyle: 'SQL, DMY',
  timezone: 'America/St_Johns',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-5',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  row_security: 'off',
  default_transaction_isolation: 'serializable',
  statement_timeout: '1ms',
}
let cluster: Awaited<ReturnType<typeof useCluster>>
let settings: Record<string, string>
let hosts: StartedHost[] = []

before(async () => {
  cluster = await useCluster()
  await asSuperuser(`create database "${database}"`)
  for (const [name, value] of Object.entries(strangeSettings))
    await asSuperuser(`alter database "${database}" set ${name} = '${value}'`)
  const { host: socket, user, password } = cluster.superuser
  const secret = randomUUID()
  settings = {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${database}?host=${encodeURIComponent(String(socket))}`,
    HOST_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: `smtp://user:${secret}@mail.example`,
    AI_API_KEY: secret,
    CAPTCHA_SECRET: secret,
    // Not ours: an operator's shell has them for other programs.
    AWS_SECRET_ACCESS_KEY: secret,
    PGAPPNAME: 'not-the-hosts',
  }
})
after(async () => {
  await Promise.all(hosts.map((host) => host.stop()))
  await asSuperuser(`drop database "${database}" with (force)`)
  await cluster.stop()
  for (const folder of folders) folder.remove()
})

async function asSuperuser<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client(cluster.superuser)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function privilegesOfOthers(): Promise<Map<string, string | null>> {
  const rows = await asSuperuser<{ datname: string; datacl: string | null }>(
    `select datname, datacl::text from pg_database where datname <> '${database}'`,
  )
  return new Map(rows.map(({ datname, datacl }) => [datname, datacl]))
}

test('hosts on a PostgreSQL of somebody else start at one time, mark their roles and leave other databases alone', async () => {
  const before = await privilegesOfOthers()
  hosts = await Promise.all(folders.map(({ path }) => startHostProcess(path, [], settings)))
  for (const { url } of hosts) {
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    const { code, stdout } = await runPartner(['invoke', 'library', '/', '--json', '--url', url]).ended
    assert.equal(code, 0, stdout)
  }
  const later = await privilegesOfOthers()
  // Other test files make and drop theirs meanwhile.
  for (const [name, privileges] of before) assert.ok(!later.has(name) || later.get(name) === privileges, name)
  const roles = await asSuperuser<{ rolname: string }>(
    `select rolname from pg_roles where rolname like 'm\\_library%' order by 1`,
  )
  assert.ok(
    roles.some(({ rolname }) => /^m_library.*_[0-9a-f]{8}$/.test(rolname)),
    JSON.stringify(roles),
  )
})

/** The one process of the first host that runs this entry. */
function processOf(entry: string): number {
  const [pid] = processesBelow(hosts[0]!.process.pid!, entry)
  assert.ok(pid, entry)
  return pid
}

test('no process that serves or calls others holds the provisioning credential, the host key or another secret of the settings', () => {
  const password = String(cluster.superuser.password)
  const folder = folders[0]!.path
  const texts = [password, settings.HOST_KEY!, settings.AI_API_KEY!, folder]
  for (const entry of ['web/main.ts', 'worker/main.ts'])
    assert.deepEqual(heldTexts(processOf(entry), texts), [folder], entry)
  // Its credential is told to it apart.
  assert.deepEqual(heldTexts(processOf('publishing/main.ts'), texts), [password, folder])
})

test('what else is in the operator’s environment reaches no process', () => {
  for (const entry of ['web/main.ts', 'worker/main.ts', 'publishing/main.ts']) {
    const environment = readFileSync(`/proc/${processOf(entry)}/environ`, 'utf8').split('\0')
    const names = environment.map((line) => line.split('=')[0]!).filter((name) => !/^(NODE_|$)/.test(name))
    assert.deepEqual(names.sort(), ['HOME', 'PATH', ...('TMPDIR' in process.env ? ['TMPDIR'] : [])], entry)
  }
})
