import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lockDataFolder } from '../../host/supervisor/data-lock.ts'
import { temporaryFolder } from './started-host.ts'

test('a data folder is made with those above it', async () => {
  const folder = temporaryFolder()
  try {
    const deep = join(folder.path, 'a', 'b')
    lockDataFolder(deep).release()
    assert.deepEqual(readdirSync(deep), [])
  } finally {
    folder.remove()
  }
})

test('the number that a power cut cut short keeps no host from its data folder', () => {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder.path, 'host.pid'), '')
    lockDataFolder(folder.path).release()
  } finally {
    folder.remove()
  }
})

test("another host's data folder is refused; one whose host is gone is taken, though a thread has its number by now", {
  skip: !existsSync('/proc/self/task'),
}, async () => {
  const folder = temporaryFolder()
  const other = await runningHost()
  const lockAs = (pid: number | string) => {
    writeFileSync(join(folder.path, 'host.pid'), String(pid))
    lockDataFolder(folder.path).release()
  }
  try {
    assert.throws(() => lockAs(other.pid!), /no other host uses \(process \d+ does\)/)
    const thread = readdirSync(`/proc/${other.pid}/task`).find((id) => Number(id) !== other.pid)!
    lockAs(thread)
  } finally {
    other.kill('SIGKILL')
    folder.remove()
  }
})

test('a claim that another host made between judging what a killed one left and removing that stands, for all', {
  skip: !existsSync('/proc/self/task'),
}, async (t) => {
  const folder = temporaryFolder()
  const other = await runningHost()
  t.after(() => {
    other.kill('SIGKILL')
    folder.remove()
  })
  const file = join(folder.path, 'host.pid')
  const gone = spawnSync('true').pid
  const message = `DATA_DIR takes a folder that no other host uses (process ${other.pid} does)`
  writeFileSync(file, String(gone))
  const meanwhile = new Map([
    [
      gone,
      () => {
        rmSync(file)
        writeFileSync(file, String(other.pid))
      },
    ],
    // The other's claim was moved aside for a moment: a third host finds none in its place.
    [other.pid!, () => assert.equal(claimElsewhere(folder.path), message)],
  ])
  const kill = process.kill.bind(process)
  t.mock.method(process, 'kill', (pid: number, signal: number) => {
    const happens = meanwhile.get(pid)
    meanwhile.delete(pid)
    happens?.()
    return kill(pid, signal)
  })
  assert.throws(() => lockDataFolder(folder.path), { name: 'SettingError', message })
  assert.equal(meanwhile.size, 0)
  assert.equal(claimElsewhere(folder.path), message)

  other.kill('SIGKILL')
  await once(other, 'close')
  lockDataFolder(folder.path).release()
  assert.deepEqual(readdirSync(folder.path), [])
})

/** A process that is a host by its command line. */
async function runningHost(): Promise<ChildProcess> {
  const program = 'console.log(1); setInterval(() => {}, 1e6)'
  const host = spawn(process.execPath, ['-e', program, '/host/cli/main.ts', 'start'])
  await once(host.stdout, 'data')
  return host
}

/** What another process is told that claims the folder. */
function claimElsewhere(folder: string): string {
  const lock = fileURLToPath(new URL('../../host/supervisor/data-lock.ts', import.meta.url))
  const program = `import { lockDataFolder } from ${JSON.stringify(lock)}
    try { lockDataFolder(process.argv[1]) } catch (error) { console.log(error.message) }`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, folder], {
    encoding: 'utf8',
  })
  return stdout.trim() || stderr
}
