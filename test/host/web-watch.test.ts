import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { watchWebProcess } from '../../host/supervisor/web-watch.ts'

const limits = { mostMs: 200, askedEveryMs: 10 }
/** Twice what a watched process may use without answering. */
const wellPastMs = 400

async function startChild(context: TestContext, script: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  context.after(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

const burns = `process.send('started', () => { for (;;); })`
const reportsWork = `process.send('started', () => {
  const { user } = process.cpuUsage()
  while (process.cpuUsage().user - user < ${wellPastMs * 1_000});
  process.send('done')
})`

test('a web process that works without answering is told of once', async (context) => {
  const child = await startChild(context, burns)
  let told = 0
  await new Promise<void>((stuck) => {
    const end = watchWebProcess(
      child.pid!,
      () => new Promise(() => {}),
      () => stuck(void told++),
      limits,
    )
    context.after(end)
  })
  assert.equal(told, 1)
})

test('one that works as long and answers, or fails to, is left alone', async (context) => {
  const child = await startChild(context, reportsWork)
  const ends = [() => Promise.resolve(true), () => Promise.reject(new Error('unavailable'))].map((answer) =>
    watchWebProcess(child.pid!, answer, () => assert.fail('it answered'), limits),
  )
  await once(child, 'message')
  for (const end of ends) end()
})

test('one that is silent without working, as on a machine that stood still, is left alone', async (context) => {
  const child = await startChild(context, `process.send('started', () => setInterval(() => {}, 1_000))`)
  let asked = 0
  await new Promise<void>((later) => {
    const never = () => {
      asked++
      setTimeout(later, 2 * limits.mostMs)
      return new Promise(() => {})
    }
    context.after(watchWebProcess(child.pid!, never, () => assert.fail('it does not work'), limits))
  })
  assert.equal(asked, 1)
})
