import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { databaseUser } from '../../host/database/embedded-binaries.ts'
import { makeSocketFolder } from '../../host/database/socket-folder.ts'
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

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root acts as another user' }

test("a database starts with a folder for temporary files that is root's own", asRoot, async () => {
  const closed = join(folder.path, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  assert.equal(await socketWith(closed, 'closed-to-it'), '/tmp')
})

test("another user's folder, or link, in the place of the socket's changes and learns nothing", asRoot, async () => {
  const shared = join(folder.path, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  const victim = join(folder.path, 'victim')
  writeFileSync(victim, 'precious', { mode: 0o600 })
  const key = createHash('sha256').update(join(folder.path, 'besieged')).digest('hex').slice(0, 8)
  const foreign = join(shared, `partner-db-${key}`)
  asStranger(`mkdir ${foreign} && ln -s ${victim} ${foreign}/password`)
  assert.equal(await socketWith(shared, 'besieged'), shared)
  assert.equal(readFileSync(victim, 'utf8'), 'precious')
  assert.deepEqual([statSync(victim).uid, statSync(foreign).uid], [0, stranger])

  const before = statSync(folder.path)
  asStranger(`ln -s ${folder.path} ${join(shared, 'partner-db-link')}`)
  assert.notEqual(makeSocketFolder('link', databaseUser()), join(shared, 'partner-db-link'))
  assert.deepEqual([statSync(folder.path).uid, statSync(folder.path).mode], [before.uid, before.mode])
})

test('a folder that a killed host left is taken again, and a password in it is neither kept nor followed', async () => {
  const left = join(folder.path, 'left')
  mkdirSync(left)
  process.env.TMPDIR = left
  const key = createHash('sha256').update(join(folder.path, 'killed')).digest('hex').slice(0, 8)
  const victim = join(folder.path, 'other-file')
  writeFileSync(victim, 'precious')
  const socket = makeSocketFolder(key, databaseUser())
  symlinkSync(victim, join(socket, 'password'))
  assert.equal(makeSocketFolder(key, databaseUser()), socket)
  assert.equal(await socketWith(left, 'killed'), left)
  assert.equal(readFileSync(victim, 'utf8'), 'precious')
  assert.ok(!existsSync(socket))
})

const stranger = 65534
const asStranger = (command: string) => execFileSync('/bin/sh', ['-c', command], { uid: stranger, gid: stranger })
