import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openToUsers } from '../../host/processes/open-to-users.ts'

test('a copy of what a umask of 077 closed can be read by everybody, and written by its owner alone', (context) => {
  const outside = mkdtempSync(join(tmpdir(), 'partner-open-'))
  context.after(() => rmSync(outside, { recursive: true, force: true }))
  const copy = join(outside, 'copy')
  const [program, text, secret] = [join(copy, 'bin/run'), join(copy, 'text'), join(outside, 'secret')]
  mkdirSync(join(copy, 'bin'), { recursive: true })
  for (const path of [program, text, secret]) writeFileSync(path, '')
  symlinkSync(secret, join(copy, 'elsewhere'))
  for (const [path, mode] of [
    [program, 0o700],
    [text, 0o600],
    [secret, 0o600],
    [join(copy, 'bin'), 0o700],
    [copy, 0o700],
  ] as const)
    chmodSync(path, mode)

  openToUsers(copy)
  const modeOf = (path: string) => statSync(path).mode & 0o777
  assert.deepEqual([copy, join(copy, 'bin'), program, text].map(modeOf), [0o755, 0o755, 0o755, 0o644])
  assert.equal(modeOf(secret), 0o600)
})
