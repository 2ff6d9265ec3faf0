import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { dataFolder, readyDataFolder } from '../support/ready-folder.ts'

test('a password that is lost, cut short or another is refused where there is a database, and none is made', async (t) => {
  const folder = readyDataFolder('partner-password-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = () => startEmbeddedDatabase(folder, { fast: true })
  await (await start()).stop()
  const file = join(folder, 'database-password')
  const password = readFileSync(file, 'utf8')
  const refused = (reason: string) =>
    assert.rejects(start(), {
      name: 'SettingError',
      message: `DATA_DIR takes the folder that the database was made in (${file} ${reason})`,
    })

  rmSync(file)
  await refused('is missing')
  assert.ok(!existsSync(file))
  for (const other of ['', password.slice(1), password.split('').reverse().join('')]) {
    writeFileSync(file, other)
    await refused('holds something else')
    assert.equal(readFileSync(file, 'utf8'), other)
  }
  writeFileSync(file, password)
  await (await start()).stop()
})

test('a password that was cut short before there was a database is made anew', async (t) => {
  const folder = dataFolder('partner-password-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'database-password')
  writeFileSync(file, '')
  const { superuser, stop } = await startEmbeddedDatabase(folder, { fast: true })
  await stop()
  assert.equal(readFileSync(file, 'utf8'), superuser.password)
})
