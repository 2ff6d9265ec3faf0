import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
after(() => sandbox.close())

/** Milliseconds of CPU that each thread of a process has used, its main thread first. */
function threadsMs(pid: number): number[] {
  const used = (thread: string) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0])
  const all = readdirSync(`/proc/${pid}/task`)
  return [String(pid), ...all.filter((thread) => thread !== String(pid))].map((thread) => used(thread) / 1e6)
}

const linux = { skip: process.platform === 'linux' ? false : 'threads are looked up in /proc' }

test('what a guest throws away is collected on the one thread that is judged by its CPU', linux, async () => {
  const runner = Number(sandbox.pool.stats().runners.find(({ role }) => role === 'ordinary')?.pid)
  const wasteful = `() => {
    let kept = []
    for (const end = Date.now() + 150; Date.now() < end; ) {
      kept.push(Array.from({ length: 200 }, (_, n) => ({ n })))
      if (kept.length > 400) kept = []
    }
    return 1
  }`
  const before = threadsMs(runner)
  for (let call = 0; call < 4; call++) assert.ok((await sandbox.run('wasteful', wasteful)).ok)
  const [main, ...others] = threadsMs(runner).map((ms, n) => ms - (before[n] ?? 0))
  const beside = others.reduce((sum, ms) => sum + ms, 0)
  assert.ok(beside < 0.25 * main!, `${main} ms, and ${beside} ms beside it`)
})
