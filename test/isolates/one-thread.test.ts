import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
after(() => sandbox.close())

/** Milliseconds of CPU that a process has used: on its main thread, and on all beside it. */
function cpuMs(pid: number): { main: number; beside: number } {
  const used = (thread: string) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid))
  return { main: used(String(pid)), beside: others.reduce((sum, thread) => sum + used(thread), 0) }
}

const linux = { skip: process.platform === 'linux' ? false : 'threads are looked up in /proc' }

test('no code is compiled beside the one thread as a runner starts, when isolates come and go', linux, () => {
  for (const { pid, role } of sandbox.pool.stats().runners) {
    const { main, beside } = cpuMs(Number(pid))
    assert.ok(beside < 0.25 * main, `${role}: ${main} ms, and ${beside} ms beside it`)
  }
})

test('what a guest throws away is collected on the one thread that is judged by its CPU', linux, async () => {
  const runner = Number(sandbox.pool.stats().runners.find(({ role }) => role === 'ordinary')?.pid)
  const wasteful = `() => {
    let kept = []
    for (const end = Date.now() + 150; Date.now() < end; ) {
      kept.push(Array.from({ length: 200 }, (_, n) => ({ n })))
      if (kept.length > 2_000) kept = []
    }
    return 1
  }`
  const before = cpuMs(runner)
  for (let call = 0; call < 4; call++) assert.ok((await sandbox.run('wasteful', wasteful)).ok)
  const after = cpuMs(runner)
  const [main, beside] = [after.main - before.main, after.beside - before.beside]
  assert.ok(beside < 0.2 * main, `${main} ms, and ${beside} ms beside it`)
})
