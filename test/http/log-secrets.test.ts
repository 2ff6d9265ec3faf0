import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newWebhookSecret } from '../../host/events/webhook-secret.ts'
import { newToken } from '../../host/security/installation-token.ts'
import { formToken } from '../../host/sessions/form-token.ts'
import { newOperatorToken } from '../../host/supervisor/operator-credential.ts'
import { findLeaks } from '../support/log-secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'partner-leaks-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Always with all three kinds of characters: the form of most, not of every, random text. */
function randomText(bytes: number): string {
  const text = randomBytes(bytes).toString('base64url')
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) ? text : randomText(bytes)
}

const planted: [string, string][] = [
  ['installation token', newToken('live')],
  ['installation token', newToken('test')],
  ['operator token', newOperatorToken()],
  ['partner key', `ppk_${randomText(32)}`],
  ['client secret', `pcs_${randomText(32)}`],
  ['webhook secret', newWebhookSecret()],
  ['cookie', `partner_session=${randomText(32)}; Path=/`],
  ['authorization', `Bearer ${randomText(20)}`],
  ['database password', 'postgres://postgres:secret@localhost/x'],
  ['field of a secret', JSON.stringify({ password: 'a sandbox password' })],
  ['host key', randomBytes(32).toString('base64')],
  ['256 random bits', `csrf ${formToken(Buffer.alloc(32, 1), '/sign-in')} given`],
  ['192 random bits', `as ${randomText(24)}`],
]

test('a planted secret of every kind is found, with its file and line', async () => {
  const lines = planted.flatMap(([, secret]) => ['{"level":30,"msg":"an innocent line"}', secret])
  writeFileSync(join(folder, 'planted.log'), lines.join('\n'))
  const leaks = await findLeaks(folder)
  for (const [index, [kind, secret]] of planted.entries()) {
    const found = leaks.filter(({ line }) => line === 2 * index + 2).map((leak) => leak.kind)
    assert.ok(found.includes(kind), `${kind}: ${found}`)
    assert.ok(leaks.every(({ begins }) => begins.length < secret.length))
  }
  assert.ok(leaks.every(({ file, line }) => file === 'planted.log' && line % 2 === 0))
})

test('what every log is full of is no secret', async () => {
  const innocent = mkdtempSync(join(tmpdir(), 'partner-innocent-'))
  writeFileSync(
    join(innocent, 'host.log'),
    [
      JSON.stringify({ level: 20, pid: 7, reqId: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C', url: '/m/library?search=x' }),
      JSON.stringify({ authorization: '********', token: '********', headers: { cookie: '********' } }),
      'partner_system_0903ec6a m_library_rt 0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
      `sha256 ${'0a'.repeat(32)} listening at http://127.0.0.1:4400`,
    ].join('\n'),
  )
  assert.deepEqual(await findLeaks(innocent), [])
  rmSync(innocent, { recursive: true })
})

test('a run in which a process logs a token fails, though every test passed', async () => {
  const script = fileURLToPath(new URL('../run.ts', import.meta.url))
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const { code, output } = await new Promise<{ code: unknown; output: string }>((done) =>
    execFile(process.execPath, [script, 'test/support/leaking-process.ts'], { env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  )
  assert.match(output, /pass 2\n[\s\S]*fail 0/)
  for (const file of ['test-\\d+', 'output'])
    assert.match(output, new RegExp(`^${file}\\.log:1: installation token in a log`, 'm'))
  assert.equal(code, 1)
  rmSync(/kept in (\S+):/.exec(output)![1]!, { recursive: true })
})
