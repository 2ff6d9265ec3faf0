import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { coresOf, coresOfThisProcess } from '../../host/jail/cores.ts'

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

test('the cores of this process are told with and without the first', () => {
  const having = (list: string) => coresOfThisProcess(procOf(`Cpus_allowed:\tf\nCpus_allowed_list:\t${list}\n`))
  assert.deepEqual(having('0-1'), { all: '0-1', allButFirst: '1' })
  assert.deepEqual(having('0-3'), { all: '0-3', allButFirst: '1,2,3' })
  assert.deepEqual(having('2,6-7'), { all: '2,6-7', allButFirst: '6,7' })
})

test('where there is one core, or the system does not say, there is none to leave', () => {
  assert.equal(coresOfThisProcess(procOf('Cpus_allowed_list:\t5\n')), undefined)
  assert.equal(coresOfThisProcess(procOf('Name:\tnode\n')), undefined)
  assert.equal(coresOfThisProcess('/nowhere'), undefined)
})
