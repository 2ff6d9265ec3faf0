import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSettings, settingsSchema } from '../../host/config.ts'
import { databaseUser } from '../../host/database/embedded-binaries.ts'
import { readHostKey } from '../../host/security/host-key.ts'
import { runPartner, temporaryFolder } from './started-host.ts'

/** Root without what lets it write everywhere. */
const ordinary = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--'] : []

/** A start that is refused: one clear line on standard error, nothing on standard output, exit code 2. */
async function refusal(settings: Record<string, string>, through: readonly string[] = []): Promise<string> {
  const folder = temporaryFolder()
  try {
    const usual = { DATA_DIR: folder.path, PORT: '0', LOG_LEVEL: 'silent' }
    const { code, stdout, stderr } = await runPartner(['start', '--no-samples'], { ...usual, ...settings }, through)
      .ended
    assert.deepEqual([code, stdout], [2, ''], stderr)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
    return stderr.trim()
  } finally {
    folder.remove()
  }
}

for (const [name, value] of [
  ['PORT', 'http'],
  ['PORT', '70000'],
  ['LOG_LEVEL', 'loud'],
  ['HOST_KEY', 'short'],
  ['WEB_PROCESSES', '0'],
  ['ALLOW_LOOPBACK_CALLBACKS', 'maybe'],
  ['DATABASE_URL', 'mysql://x'],
  ['DATABASE_URL', 'postgres://x:50%@127.0.0.1/x'],
  ['DATABASE_URL', 'postgres://x:secret@127.0.0.1:5432'],
  ['DATABASE_URL', 'postgres://x:secret@127.0.0.1:5432/?sslmode=require'],
  ['PARTNERS_AUDIENCE_GUARD_MODE', 'strict'],
  ['TRUSTED_PROXIES', 'proxy.school'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
] as const) {
  test(`${name}=${value} is refused by one line that names it`, async () => {
    const line = await refusal({ HOST_KEY: Buffer.alloc(32).toString('base64'), [name]: value })
    assert.match(line, new RegExp(`^partner: ${name} takes `))
    if (name === 'DATABASE_URL')
      assert.equal(
        line,
        'partner: DATABASE_URL takes a postgres:// address with the name of a database, a percent sign in it as %25',
      )
  })
}

test('a number is written in decimal digits: nothing else stands for one, and metrics have a port that can be told', () => {
  for (const [name, value] of [
    ['PORT', ' '],
    ['PORT', '0x10'],
    ['PORT', '1e3'],
    ['PORT', '-1'],
    ['METRICS_PORT', ' '],
    ['METRICS_PORT', '0'],
    ['WEB_PROCESSES', '0b11'],
    ['RUNNERS', '2.0'],
  ] as const)
    assert.throws(
      () => readSettings({ [name]: value }),
      { message: new RegExp(`^${name} takes a `) },
      `${name}=${value}`,
    )
  const { PORT, METRICS_PORT, WEB_PROCESSES } = readSettings({ PORT: '0', METRICS_PORT: '9100 ', WEB_PROCESSES: '02' })
  assert.deepEqual([PORT, METRICS_PORT, WEB_PROCESSES], [0, 9100, 2])
})

test('a public address to which no path can be added, or that names a user, is refused', () => {
  for (const given of [
    'https://a.example/?x=1',
    'https://a.example/#x',
    'https://a.example?',
    'https://u:p@a.example',
    'nonsense',
  ])
    assert.throws(
      () => readSettings({ PUBLIC_URL: given }),
      { message: /^PUBLIC_URL takes an http or https address/ },
      given,
    )
})

test('another service’s address that names a user is refused, not shown with the settings', async () => {
  for (const name of ['AI_BASE_URL', 'CAPTCHA_VERIFY_URL'] as const) {
    const given = { [name]: 'https://user:secret@service.example/v1' }
    const { code, stdout, stderr } = await runPartner(['start', '--print-config'], given).ended
    const line = `partner: ${name} takes an http or https address without user and password\n`
    assert.deepEqual([code, stdout, stderr], [2, '', line])
    for (const value of ['https:user@service.example', 'https://:secret@service.example', 'nonsense'])
      assert.throws(() => readSettings({ [name]: value }), { message: line.slice('partner: '.length, -1) }, value)
    const plain = 'https://service.example/a@b?c=d@e'
    assert.equal(readSettings({ [name]: plain })[name], plain)
  }
})

test('a public address is taken without its last slash, in the letters that browsers write it with', () => {
  for (const given of ['https://School.example/', 'HTTPS://school.example:443', 'https://school.example'])
    assert.equal(readSettings({ PUBLIC_URL: given }).PUBLIC_URL, 'https://school.example')
  assert.equal(readSettings({ PUBLIC_URL: 'http://a.example:8080/x//' }).PUBLIC_URL, 'http://a.example:8080/x')
})

test('paths that would be inside each other, or inside a fixed one, are refused by one line that names the setting', async () => {
  assert.equal(await refusal({ DOCS_PATH: '/apps' }), 'partner: DOCS_PATH takes a path of its own (/apps is taken)')
  for (const [name, value, taken] of [
    ['BASE_PATH', '/m', '/m'],
    ['BASE_PATH', '/operator/apps', '/operator'],
    ['SANDBOX_BASE_PATH', '/apps/sandbox', '/apps'],
    ['PARTNERS_PATH', '/sandbox', '/sandbox/apps'],
    ['CONTACTS_PATH', '/sign-in', '/sign-in'],
    ['CONTACTS_PATH', '/partners/api', '/partners'],
  ] as const)
    assert.throws(() => readSettings({ [name]: value }), {
      message: `${name} takes a path of its own (${taken} is taken)`,
    })
  const apart = {
    BASE_PATH: '/api/v1',
    SANDBOX_BASE_PATH: '/api/v1-sandbox',
    PARTNERS_PATH: '/mine',
    DOCS_PATH: '/operators',
  }
  assert.equal(readSettings(apart).PARTNERS_PATH, '/mine')
})

test('DATABASE_URL without HOST_KEY is refused', async () => {
  assert.match(await refusal({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }), /HOST_KEY takes/)
})

test('an unreachable database is one line', async () => {
  const line = await refusal({
    DATABASE_URL: 'postgres://x:secret@127.0.0.1:1/x',
    HOST_KEY: Buffer.alloc(32).toString('base64'),
  })
  assert.match(line, /^partner: DATABASE_URL takes the address of a PostgreSQL that answers/)
  assert.doesNotMatch(line, /secret/)
})

test('a port that is taken is one line', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  try {
    assert.match(
      await refusal({ PORT: String(port) }),
      new RegExp(`^partner: PORT takes a free port \\(${port} is taken\\)`),
    )
  } finally {
    server.close()
  }
})

test('a metrics port that is taken is one line, and so is that of the host itself', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const line = new RegExp(`^partner: METRICS_PORT takes a free port \\(${port} is taken\\)`)
  try {
    assert.match(await refusal({ METRICS_PORT: String(port) }), line)
  } finally {
    await new Promise((done) => server.close(done))
  }
  assert.match(await refusal({ PORT: String(port), METRICS_PORT: String(port) }), line)
})

test('a kept host key that was cut short is refused, never used', async () => {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder.path, 'host-key'), randomBytes(31).toString('base64'))
    assert.match(await refusal({ DATA_DIR: folder.path }), /^partner: HOST_KEY takes 32 bytes in base64 \(.*host-key/)
  } finally {
    folder.remove()
  }
})

test('a host key that a power cut left empty before there was a database is made again', () => {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder.path, 'host-key'), '')
    const settings = { DATA_DIR: folder.path }
    assert.throws(() => readHostKey(settings, false), /holds something else/)
    const key = readHostKey(settings, true)
    assert.deepEqual([key.length, key], [32, readHostKey(settings, false)])
  } finally {
    folder.remove()
  }
})

test('a kept host key that is lost is not replaced by another, with which nobody could read what is stored', async () => {
  const folder = temporaryFolder()
  try {
    mkdirSync(join(folder.path, 'postgres'), { recursive: true })
    writeFileSync(join(folder.path, 'postgres', 'PG_VERSION'), '18\n')
    rmSync(join(folder.path, 'host-key'), { force: true })
    assert.match(
      await refusal({ DATA_DIR: folder.path }),
      /^partner: HOST_KEY takes the key that the database was made with \(.*host-key is missing\)$/,
    )
    assert.equal(existsSync(join(folder.path, 'host-key')), false)
  } finally {
    folder.remove()
  }
})

test("a kept database's password that is lost is refused", async () => {
  const folder = temporaryFolder()
  const cluster = join(folder.path, 'postgres')
  try {
    mkdirSync(cluster, { mode: 0o700 })
    writeFileSync(join(cluster, 'PG_VERSION'), '18\n')
    const user = databaseUser()
    if (user) chownSync(cluster, user.uid, user.gid)
    assert.match(
      await refusal({ DATA_DIR: folder.path, HOST_KEY: randomBytes(32).toString('base64') }),
      /^partner: DATA_DIR takes the folder that the database was made in \(.*database-password is missing\)$/,
    )
  } finally {
    folder.remove()
  }
})

test('a data folder that may not be written is refused by its setting', async () => {
  const folder = temporaryFolder()
  try {
    chmodSync(folder.path, 0o555)
    assert.match(
      await refusal({ DATA_DIR: folder.path }, ordinary),
      /^partner: DATA_DIR takes a folder that this user may write$/,
    )
  } finally {
    folder.remove()
  }
})

test('a data folder where nobody can make one is refused by its setting', {
  skip: !existsSync('/proc/self'),
}, async () => {
  for (const folder of ['/proc/x', '/proc/x/y'])
    assert.equal(await refusal({ DATA_DIR: folder }), 'partner: DATA_DIR takes a folder that this user may write')
})

test('a home that takes no credential of the operator is refused before anything is made', async () => {
  for (const home of ['/dev/null', '/proc/nonexistent'])
    assert.match(await refusal({ HOME: home }), /^partner: HOME takes a folder for the operator's credential \(.*\)$/)
})

test('a file in the place of the data folder is refused by its setting', async () => {
  const file = fileURLToPath(import.meta.url)
  for (const path of [file, join(file, 'x')])
    assert.equal(await refusal({ DATA_DIR: path }), 'partner: DATA_DIR takes a folder that this user may write')
})

test('proxies are addresses and networks, spaces between them are none', () => {
  const { TRUSTED_PROXIES } = readSettings({ TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16,fd00::/8' })
  assert.deepEqual(TRUSTED_PROXIES, ['10.0.0.1', '192.168.0.0/16', 'fd00::/8'])
})

test('--print-config shows every setting, those that are not set too, without secrets', async () => {
  const { code, stdout } = await runPartner(['start', '--print-config'], { AI_API_KEY: 'hush', PORT: '1' }).ended
  assert.equal(code, 0)
  const shown = JSON.parse(stdout)
  assert.deepEqual([shown.AI_API_KEY, shown.PORT, shown.HOST], ['********', 1, '127.0.0.1'])
  assert.deepEqual([shown.DATABASE_URL, shown.METRICS_PORT], [null, null])
  assert.deepEqual(Object.keys(shown), Object.keys(settingsSchema.shape))
})
