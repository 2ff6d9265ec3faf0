import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { coresForStrangers, coresOf } from '../../host/isolates/strangers-cores.ts'

const folder = mkdtempSync(join(tmpdir(), 'partner-cores-'))
test.after(() => rmSync(folder, { recursive: true }))

/** A `/proc` that says so of this process. */
function procOf(status: string): string {
  const path = mkdtempSync(join(folder, 'proc-'))
  mkdirSync(join(path, 'self'))
  writeFileSync(join(path, 'self', 'status'), status)
  return path
}

test('lists of cores are read as the kernel writes them', () => {
  assert.deepEqual(coresOf('0'), [0])
  assert.deepEqual(coresOf('0-3'), [0, 1, 2, 3])
  assert.deepEqual(coresOf('1,4-5,64'), [1, 4, 5, 64])
  assert.deepEqual(coresOf(''), [])
})

test('strangers get every core that this process has but the first', () => {
  const having = (list: string) =>
    coresForStrangers(procOf(`Name:\tnode\nCpus_allowed:\tf\nCpus_allowed_list:\t${list}\n`))
  assert.equal(having('0-1'), '1')
  assert.equal(having('0-3'), '1,2,3')
  assert.equal(having('2,6-7'), '6,7')
  assert.equal(having('5'), undefined)
})

test('where the system does not say, nothing is taken away', () => {
  assert.equal(coresForStrangers('/nowhere'), undefined)
  assert.equal(coresForStrangers(procOf('Name:\tnode\n')), undefined)
})
