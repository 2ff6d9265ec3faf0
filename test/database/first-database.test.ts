import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { after, test } from 'node:test'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Settings } from '../../host/config.ts'
import { prepareDatabase } from '../../host/database/prepare.ts'
import { openProvisioning } from '../../host/database/provisioning.ts'
import { testHostKey } from '../support/cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'partner-first-'))
chmodSync(folder, 0o755)
after(() => rmSync(folder, { recursive: true, force: true }))
const settings = { DATA_DIR: folder } as Settings

const hasIpv6 = Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === '::1'))

/** What listens before our own PostgreSQL, at an address where that does not. */
function serverBefore({ host, port }: pg.ClientConfig) {
  const socket = join(String(host), `.s.PGSQL.${port}`)
  return createServer((client) => {
    const server = connect(socket)
    pipeline(client, server, client, () => {})
  })
}

async function databases(credential: pg.ClientConfig): Promise<string[]> {
  const client = new pg.Client(credential)
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database order by datname')
    return rows.map(({ datname }) => datname)
  } finally {
    await client.end()
  }
}

test('a first start makes one database, which later starts find', async () => {
  for (const start of ['first', 'later']) {
    const { credential, close } = await openProvisioning(settings)
    try {
      await prepareDatabase(credential, { hostKey: testHostKey, database: credential.database, embedded: true })
      assert.deepEqual(await databases(credential), ['partner', 'template0', 'template1'], start)
    } finally {
      await close()
    }
  }
})

test('our own server admits the sessions of all web processes, however many a machine has', async () => {
  for (const count of [1, 16]) {
    const { credential, close } = await openProvisioning({ ...settings, WEB_PROCESSES: count })
    const client = new pg.Client({ ...credential, database: 'template1' })
    try {
      await client.connect()
      const { rows } = await client.query<{ most: number }>(`select current_setting('max_connections')::int as most`)
      // 20 of the core role, 5 of the system role, 40 of modules, 1 that listens; and all that is no web process.
      assert.ok(rows[0]!.most >= count * 66 + 20, `${rows[0]!.most} for ${count}`)
    } finally {
      await client.end()
      await close()
    }
  }
})

test('plain text to another machine is warned of, and a mode that asks for encryption never speaks it', async () => {
  const { credential, close } = await openProvisioning(settings)
  try {
    const url = new URL(`postgres://localhost:${credential.port}/partner`)
    url.username = String(credential.user)
    url.password = String(credential.password)
    url.searchParams.set('host', String(credential.host))
    const warnings: string[] = []
    const log = { error: assert.fail, warn: (message: string) => void warnings.push(message) }
    const plain = await openProvisioning({ ...settings, DATABASE_URL: url.href }, log as unknown as Logger)
    await plain.close()
    assert.deepEqual(warnings, [])
    const elsewhere = openProvisioning(
      { ...settings, DATABASE_URL: 'postgres://a:b@nowhere.invalid/c' },
      log as unknown as Logger,
    )
    await assert.rejects(elsewhere, /takes the address of a PostgreSQL/)
    assert.match(warnings.join(), /nowhere\.invalid is spoken to in plain text: .*sslmode=require$/)
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      url.searchParams.set('sslmode', mode)
      const opened = openProvisioning({ ...settings, DATABASE_URL: url.href })
      await assert.rejects(opened, /does not support SSL/, mode)
    }
  } finally {
    await close()
  }
})

test('a database elsewhere may stand at an address of IP version 6', { skip: !hasIpv6 && 'no ::1 here' }, async () => {
  const { credential, close } = await openProvisioning(settings)
  const elsewhere = serverBefore(credential)
  await new Promise<void>((done) => elsewhere.listen(0, '::1', done))
  try {
    const { port } = elsewhere.address() as AddressInfo
    const url = `postgres://postgres:${credential.password}@[::1]:${port}/${credential.database}`
    const external = await openProvisioning({ ...settings, DATABASE_URL: url })
    await external.close()
    assert.equal(external.credential.host, '::1')
  } finally {
    elsewhere.close()
    await close()
  }
})

test('connections to a database elsewhere are kept alive while they rest, those of every role', {
  skip: process.platform !== 'linux',
}, async () => {
  const { credential, close } = await openProvisioning(settings)
  const elsewhere = serverBefore(credential)
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
  try {
    const { port } = elsewhere.address() as AddressInfo
    const url = `postgres://postgres:${credential.password}@127.0.0.1:${port}/${credential.database}`
    const external = await openProvisioning({ ...settings, DATABASE_URL: url })
    const { core } = await prepareDatabase(external.credential, {
      ...{ hostKey: testHostKey, database: credential.database, embedded: true },
    })
    for (const config of [external.credential, core]) {
      const client = new pg.Client(config)
      await client.connect()
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      try {
        // What was just sent may wait for its acknowledgement.
        for (const end = Date.now() + 5_000; timerOf(stream) !== 'keepalive' && Date.now() < end; ) await pause(20)
        assert.equal(timerOf(stream), 'keepalive')
      } finally {
        await client.end()
      }
    }
  } finally {
    elsewhere.close()
    await close()
  }
})

/** What the kernel waits for on a connection at rest. */
function timerOf({ localPort, remotePort }: Socket): string | undefined {
  const [from, to] = [localPort!, remotePort!].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`)
  const lines = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const timer = lines.find(([, local, remote]) => local?.endsWith(from!) && remote?.endsWith(to!))?.[5]
  return timer?.startsWith('02:') ? 'keepalive' : timer
}
