import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'

const form = /pit_(live|test)_[0-9A-Za-z]{20,}/

/** Runs a test file with every log line kept, and answers with all it wrote. */
function outputOf(file: string): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const env = { ...process.env, LOG_LEVEL: 'trace', NODE_TEST_CONTEXT: undefined }
  const child = spawn(process.execPath, ['--no-node-snapshot', path], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data
    })
  }
  return new Promise((resolve) => child.on('exit', () => resolve(output)))
}

test('no line that these tests log at the finest level holds a token', async () => {
  const outputs = await Promise.all(['./students.test.ts', './tokens.test.ts'].map(outputOf))
  for (const output of outputs) {
    assert.match(output, /pass [1-9]/)
    assert.match(output, /fail 0/)
    assert.doesNotMatch(output, form)
  }
})
