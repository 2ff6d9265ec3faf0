import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { temporaryFolder } from '../host/started-host.ts'

const folder = temporaryFolder()
const usual = tmpdir()
after(() => {
  process.env.TMPDIR = usual
  folder.remove()
})

/** Where a database's socket lies that was started, and answered, with temporary files in this folder. */
async function socketWith(temporary: string, name: string): Promise<string> {
  mkdirSync(temporary, { recursive: true })
  process.env.TMPDIR = temporary
  const { superuser, stop } = await startEmbeddedDatabase(join(folder.path, name), { fast: true })
  const client = new pg.Client(superuser)
  try {
    await client.connect()
    return dirname(String(superuser.host))
  } finally {
    await client.end()
    await stop()
  }
}

test('a database starts with a folder for temporary files that is too deep for a socket', async () => {
  assert.equal(await socketWith(join(folder.path, 'x'.repeat(90)), 'deep'), '/tmp')
})

test('a database starts with a folder for temporary files whose name has spaces and commas', async () => {
  const spaces = join(folder.path, 'a b')
  assert.equal(await socketWith(spaces, 'spaces'), spaces)
  assert.equal(await socketWith(join(folder.path, 'a,b'), 'commas'), '/tmp')
})

test("a database starts with a folder for temporary files that is root's own", {
  skip: process.getuid?.() === 0 ? false : 'only root runs PostgreSQL as another user',
}, async () => {
  const closed = join(folder.path, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  assert.equal(await socketWith(closed, 'closed-to-it'), '/tmp')
})
