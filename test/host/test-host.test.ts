import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isRunning, processesBelow } from '../support/process-tree.ts'
import { writeModule } from './module-folder.ts'
import { temporaryFolder } from './started-host.ts'

const launcher = fileURLToPath(new URL('../../host/launch.mjs', import.meta.url))
const folder = temporaryFolder()
const temporary = temporaryFolder()
after(() => {
  folder.remove()
  temporary.remove()
})

test('Ctrl-C in the tests of a module ends the host that they started, with its database and its folder', async () => {
  const module = writeModule(folder.path, 'tested', {
    'src/index.ts': `import { defineModule, json } from '@partner/sdk'
      export default defineModule({ routes: { 'GET /': async () => json('fine') } })`,
  })
  const { PATH = '', HOME = '' } = process.env
  const host = spawn(process.execPath, [launcher, 'test-host', module], {
    env: { PATH, HOME, TMPDIR: temporary.path },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const [line] = await once(host.stdout, 'data')
  assert.equal(JSON.parse(String(line)).slug, 'tested')
  const all = processesBelow(host.pid!, '')
  process.kill(-host.pid!, 'SIGINT')
  assert.deepEqual(await once(host, 'close'), [0, null])
  assert.deepEqual(all.filter(isRunning), [], 'nothing is left running')
  assert.deepEqual(readdirSync(temporary.path), [])
})
