import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { runPartner, temporaryFolder } from './started-host.ts'

/** A start that is refused: one clear line on standard error, nothing on standard output, exit code 2. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const folder = temporaryFolder()
  try {
    const { code, stdout, stderr } = await runPartner(['start', '--no-samples'], {
      DATA_DIR: folder.path,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...settings,
    }).ended
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
  ['PARTNERS_AUDIENCE_GUARD_MODE', 'strict'],
] as const) {
  test(`${name}=${value} is refused by one line that names it`, async () => {
    assert.match(await refusal({ [name]: value }), new RegExp(`^partner: ${name} takes `))
  })
}

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

test('--print-config shows the settings without their secrets', async () => {
  const { code, stdout } = await runPartner(['start', '--print-config'], { AI_API_KEY: 'hush', PORT: '1' }).ended
  assert.equal(code, 0)
  const shown = JSON.parse(stdout)
  assert.deepEqual([shown.AI_API_KEY, shown.PORT, shown.HOST], ['********', 1, '127.0.0.1'])
})
