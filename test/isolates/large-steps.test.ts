import { heldMb } from './held-memory.ts'
import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limitRanges } from '../../host/isolates/limits.ts'
import { startSandbox, unlessAgain } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

test('what is kept of large steps is what was said, not all that came with it', async () => {
  const steps = 8
  const handle = unlessAgain(`
    const large = 'x'.repeat(250_000)
    for (let step = 0; step < ${steps}; step++) {
      call.log('info', 'what a module says')
      for (let n = 0; n < 30; n++) call('large', large)
      call('services.held', { step: 'number ' + step })
      await call('next')
    }
    return entry`)
  await sandbox.run('large steps', handle, { entry: 'again' })
  const before = await heldMb()
  const kept: string[] = []
  const answer = await sandbox.run('large steps', handle, {
    limits: { cpuMs: 60_000, wallMs: 60_000 },
    serve: async (path, args) => {
      if (path === 'services.held') kept.push(path, args)
      return 'null'
    },
    onLog: ({ message }) => kept.push(message),
  })
  assert.equal(answer.ok && jsonOf(answer), '"route"')
  // Where fresh memory is dear this costs a runner, and what wrote nothing is tried again.
  assert.equal(new Set(kept.filter((text) => text.includes('number '))).size, steps)
  const grownMb = (await heldMb()) - before
  assert.ok(grownMb < 2 * steps, `${grownMb} MB are held for ${kept.join('').length} characters`)
})

test('the largest result that can be allowed passes with what is said beside it', async () => {
  const limits = { resultBytes: limitRanges.resultBytes.max }
  const lines: string[] = []
  const handle = '(entry, input, call) => { call.log("info", "beside it"); return "a".repeat(input) }'
  const answered = async (length: number) => {
    const onLog = ({ message }: { message: string }) => lines.push(message)
    const answer = await sandbox.run('largest', handle, { input: `${length}`, limits, onLog })
    return answer.ok ? jsonOf(answer).length : answer.error.kind
  }
  assert.equal(await answered(limits.resultBytes), limits.resultBytes + 2)
  assert.equal(await answered(limits.resultBytes + 1), 'result_too_large')
  assert.deepEqual(lines, ['beside it', 'beside it'])
})

test('what many requests say in one step is all heard, however much it is: results, failures and calls', async () => {
  const large = 1_000_000
  const handle = unlessAgain(`
    await call('all')
    if (entry === 'fail') throw new Error('\\u0001'.repeat(2_000))
    return String(input).repeat(${large})`)
  await sandbox.run('many', handle, { entry: 'again' })
  const count = 30
  const arrived = Promise.withResolvers<void>()
  let waiting = 0
  const serve = async () => {
    if (++waiting === 2 * count) arrived.resolve()
    await arrived.promise
    return 'null'
  }
  const answers = await Promise.all(
    Array.from({ length: 2 * count }, async (_, n) => {
      const input = String(n % 10)
      const answer = await sandbox.run('many', handle, { entry: n % 2 ? 'fail' : 'answer', input, serve })
      if (!answer.ok) return `${answer.error.kind} ${answer.error.message.length}`
      const text = jsonOf(answer)
      return `${text.length - 2} times ${text[1]}, then ${text.at(-2)}`
    }),
  )
  const wanted = (n: number) => (n % 2 ? 'threw 2000' : `${large} times ${n % 10}, then ${n % 10}`)
  assert.deepEqual(
    answers,
    answers.map((_, n) => wanted(n)),
  )

  const sizes: number[] = []
  const calling = unlessAgain(`
    const text = 'x'.repeat(200_000)
    await Promise.all(Array.from({ length: 60 }, () => call('take', text)))
    return 'called'`)
  const serveSize = async (_path: string, args: string) => `${sizes.push(args.length)}`
  const called = await sandbox.run('many calls', calling, { serve: serveSize })
  assert.equal(called.ok ? jsonOf(called) : called.error.message, '"called"')
  assert.deepEqual(sizes, Array(60).fill(200_002))
})
