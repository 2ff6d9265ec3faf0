import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyOnce, keepFirst } from '../../host/database/copied-folder.ts'
import { dataFolder } from '../support/ready-folder.ts'

test('of two hosts that copy at once the first makes the copy, and what killed ones left goes', (t) => {
  const root = dataFolder('partner-copy-')
  t.after(() => rmSync(root, { recursive: true }))
  const [copy, original] = [join(root, 'copies', 'binaries'), join(root, 'original')]
  const [ended, living] = [`${copy}.${spawnSync('true').pid}`, `${copy}.${process.ppid}`]
  for (const folder of [original, ended, living]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'program'), folder)
  }
  copyOnce(original, copy)
  assert.deepEqual([existsSync(ended), existsSync(living)], [false, true])
  keepFirst(living, copy)
  assert.deepEqual(readdirSync(join(root, 'copies')), ['binaries'])
  assert.equal(readFileSync(join(copy, 'program'), 'utf8'), original)
})
