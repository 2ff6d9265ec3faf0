import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundleOf, startSandbox } from '../../isolates/support.ts'
import { handlers, service } from './module-call-handlers.ts'
import type { BenchLine } from '../bench-line.ts'
import { alternate, line, microseconds } from './support.ts'

const ourCode = `let callHost
const handlers = ${handlers}
globalThis.__partner_module__ = { handle(entry, input, call) { callHost = call; return handlers[entry](input) } }`

/** A host process runs for days: the compilers of both sides finish before anything is measured. */
const warmUp = { noop: 60_000, parallel: 200 }

/** A warm call and a service call, each against bare isolated-vm in the same run. */
export async function run(): Promise<BenchLine[]> {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const bareProcess = fork(fileURLToPath(new URL('./bare/isolated-vm.ts', import.meta.url)), {
    execArgv: ['--no-node-snapshot'],
  })
  try {
    await once(bareProcess, 'message')
    const bundle = bundleOf(ourCode)
    const call = async (entry: string, input = 'null') => {
      const answer = await sandbox.client.call({
        installation: { id: 'bench', app: 'bench', version: '1', tenantId: 't' },
        loadBundle: async () => bundle,
        entry,
        input,
        serve: service,
      })
      if (!answer.ok) throw new Error(answer.error.message)
    }
    const bare = async (name: string, count: number, atOnce: number): Promise<number> => {
      bareProcess.send({ name, count, atOnce })
      const [took] = await once(bareProcess, 'message')
      return took
    }
    await call('noop')
    await microseconds(warmUp.noop, 50, () => call('noop'))
    await bare('noop', warmUp.noop, 50)
    await microseconds(warmUp.parallel, 1, () => call('parallel', '50'))
    await bare('parallel', warmUp.parallel, 1)
    const took = await alternate(5, {
      noop50: () => microseconds(20_000, 50, () => call('noop')),
      bareNoop50: () => bare('noop', 20_000, 50),
      noop1: () => microseconds(1_000, 1, () => call('noop')),
      bareNoop1: () => bare('noop', 1_000, 1),
      parallel: async () => (await microseconds(120, 1, () => call('parallel', '50'))) / 50,
      bareParallel: async () => (await bare('parallel', 120, 1)) / 50,
      sequential: async () => (await microseconds(20, 1, () => call('sequential', '50'))) / 50,
      direct: () => microseconds(4_000, 1, async () => JSON.parse(await service('', JSON.stringify({ page: 1 })))),
    })
    return [
      line('module-call, 50 at once / bare isolated-vm, asynchronous', took.noop50, took.bareNoop50, 0.9, 'µs'),
      line('module-call, one at a time / bare isolated-vm, asynchronous', took.noop1, took.bareNoop1, 3, 'µs'),
      line('service call of a module, 50 at once / bare Reference.apply', took.parallel, took.bareParallel, 1.3, 'µs'),
      line(
        'service call of a module, 50 at once: above a direct call / 25 µs',
        took.parallel - took.direct,
        25,
        1,
        'µs',
      ),
      line(
        'service call of a module, in turn: above a direct call / 150 µs',
        took.sequential - took.direct,
        150,
        1,
        'µs',
      ),
    ]
  } finally {
    bareProcess.disconnect()
    await sandbox.close()
  }
}
