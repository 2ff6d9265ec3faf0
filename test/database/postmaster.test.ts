import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { connected } from '../module-database/support.ts'
import { readyDataFolder } from '../support/ready-folder.ts'

test('a server that ends and does not start again is told of with the reason, once, until it runs', async (t) => {
  const folder = readyDataFolder('partner-postmaster-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const told: string[] = []
  const heard = new EventTarget()
  const tell = (message: string) => {
    told.push(message)
    heard.dispatchEvent(new Event('told'))
  }
  const { superuser, stop } = await startEmbeddedDatabase(folder, { fast: true, tell })
  t.after(stop)
  const admin = await connected(superuser)
  const { rows } = await admin.query('show data_directory')
  const control = join(rows[0].data_directory, 'global', 'pg_control')

  renameSync(control, `${control}.away`)
  const twice = new Promise<void>((done) => heard.addEventListener('told', () => told.length === 2 && done()))
  process.kill(Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
  await twice
  assert.equal(told[0], 'PostgreSQL ended (SIGKILL)')
  assert.match(told[1]!, /^PostgreSQL did not start: .*could not open file .*pg_control.*; it is tried again$/)

  renameSync(`${control}.away`, control)
  const again = await untilConnected(superuser)
  await again.end()
  assert.equal(told.length, 2)
})

test('a start that fails says why, in one line, and leaves no folder for a socket', async (t) => {
  const folder = readyDataFolder('partner-no-postmaster-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { superuser, stop } = await startEmbeddedDatabase(folder, { fast: true })
  const admin = await connected(superuser)
  const { rows } = await admin.query('show data_directory')
  await admin.end()
  await stop()
  rmSync(join(rows[0].data_directory, 'global', 'pg_control'))
  await assert.rejects(
    startEmbeddedDatabase(folder, { fast: true }),
    /^Error: PostgreSQL did not start: .*pg_control.*$/,
  )
  assert.ok(!existsSync(superuser.host!))
})

test('a server that outlived its host ends before another starts, by whatever path its folder is named', async (t) => {
  const folder = readyDataFolder('partner-leftover-')
  const link = `${folder}-link`
  t.after(() => [link, folder].map((path) => rmSync(path, { recursive: true, force: true })))
  const module = new URL('../../host/database/embedded.ts', import.meta.url)
  const script = `const { startEmbeddedDatabase } = await import('${module}')
    await startEmbeddedDatabase('${folder}', { fast: true })
    console.log('started')`
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(host.stdout, 'data')
  host.kill('SIGKILL')
  await once(host, 'exit')
  const pidFile = join(folder, 'postgres', 'postmaster.pid')
  const left = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  t.after(() => spawnSync('kill', [`${left}`]))
  symlinkSync(folder, link)
  const { stop } = await startEmbeddedDatabase(link, { fast: true })
  assert.throws(() => process.kill(left, 0), { code: 'ESRCH' })
  await stop()
})

/** The server takes its time to start. */
async function untilConnected(superuser: Parameters<typeof connected>[0]) {
  for (;;) {
    try {
      return await connected(superuser)
    } catch {
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}
