import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../host/started-host.ts'
import { processesBelow } from '../support/process-tree.ts'

const launcher = fileURLToPath(new URL('../../host/launch.mjs', import.meta.url))
const folder = temporaryFolder()
after(() => folder.remove())

/** Stands for git, of which a scan starts two: it says whose child it is, and no more as long as that one lives. */
const git = join(folder.path, 'git')
writeFileSync(git, '#!/bin/sh\necho $PPID > "$ASKED"\nexec cat\n')
chmodSync(git, 0o755)

/** A scan that waits for git, which writes to the file `asked`; `program` runs it. */
function waitingScan(program: string, args: string[], asked: string, settings = {}): ChildProcess {
  const PATH = `${folder.path}:${process.env.PATH}`
  const env = { ...process.env, PATH, ASKED: asked, XDG_CACHE_HOME: folder.path, ...settings }
  return spawn(program, args, { env, stdio: 'ignore' })
}

const scan = [launcher, 'scan', folder.path, '--changed', 'HEAD']

async function untilAsked(asked: string): Promise<number> {
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(20)) {
    const pid = existsSync(asked) ? Number(readFileSync(asked, 'utf8')) : 0
    if (pid > 0) return pid
  }
  throw new Error('the scan did not begin')
}

const isAlive = (pid: number) => processesBelow(pid, 'launch.mjs').includes(pid)

test('on the pinned Node a scan is one process, and a signal ends it', async () => {
  const asked = join(folder.path, 'signal')
  const child = waitingScan(process.execPath, scan, asked)
  const ended = once(child, 'exit')
  assert.equal(await untilAsked(asked), child.pid)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [null, 'SIGTERM'])
})

test('npm ends its shell only: a scan that runs in it ends too', async () => {
  const script = `"${process.execPath}" "${scan.join('" "')}"; exit $?`
  const asked = join(folder.path, 'shell')
  const shell = waitingScan('sh', ['-c', script], asked, { npm_lifecycle_event: 'check' })
  const pid = await untilAsked(asked)
  assert.ok(isAlive(pid) && pid !== shell.pid)
  shell.kill('SIGKILL')
  for (const end = Date.now() + 10_000; isAlive(pid); await pause(50)) assert.ok(Date.now() < end, 'it goes on')
})
