import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { initialiseCluster } from '../../host/database/initialise-cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'initialise-'))
after(() => rmSync(folder, { recursive: true }))

/** What initdb says to a user id without an account, as containers are often started with. */
const refusal = 'initdb: could not look up effective user ID 12345: user does not exist'

test('a cluster that is not made says in its first line why, and leaves nothing', async () => {
  mkdirSync(join(folder, 'bin'))
  const program = `#!/bin/sh\necho 'initdb: warning: a hint' >&2\necho '${refusal}' >&2\nexit 1\n`
  writeFileSync(join(folder, 'bin', 'initdb'), program, { mode: 0o700 })
  const data = join(folder, 'data')
  const options = { binaries: folder, cluster: join(data, 'postgres'), password: 'one', user: null, scratch: folder }
  await assert.rejects(initialiseCluster(options), ({ message }: Error) => message.split('\n')[0]!.endsWith(refusal))
  assert.deepEqual(readdirSync(data), [])
  assert.ok(!readdirSync(folder).includes('password'))
})
