import ivm from 'isolated-vm'
import { bundleOf, startSandbox } from '../../isolates/support.ts'
import { alternate, type BenchLine, line, microseconds } from './support.ts'

const row = (id: number) => ({ id, name: `Student ${id}`, email: `s${id}@example.org`, grade: id % 13, active: true })
/** 1.8 kB, encoded already, as the database gives it. */
const rows = JSON.stringify(Array.from({ length: 24 }, (_, id) => row(id)))
const service = async (_path: string, _args: string) => rows

const handlers = `{
  noop: () => null,
  parallel: async (n) => { await Promise.all(Array.from({ length: n }, () => callHost('students.list', { page: 1 }))); return null },
  sequential: async (n) => { for (let i = 0; i < n; i++) await callHost('students.list', { page: 1 }); return null },
}`
const ourCode = `let callHost
const handlers = ${handlers}
globalThis.__partner_module__ = { handle(entry, input, call) { callHost = call; return handlers[entry](input) } }`
const bareCode = `{
  const host = globalThis.__host
  delete globalThis.__host
  const promised = { result: { promise: true } }
  const callHost = async (path, args) => JSON.parse(await host.apply(undefined, [path, JSON.stringify(args)], promised))
  globalThis.handlers = ${handlers}
}`

/** Bare isolated-vm as its manual shows it: asynchronous calls, a Reference to a host function. */
async function bareIsolate() {
  const isolate = new ivm.Isolate({ memoryLimit: 128 })
  const context = await isolate.createContext()
  await context.global.set('__host', new ivm.Reference(service))
  await context.eval(bareCode)
  const handler = (name: string) => context.eval(`handlers.${name}`, { reference: true })
  const [noop, parallel, sequential] = await Promise.all(['noop', 'parallel', 'sequential'].map(handler))
  const options = { arguments: { copy: true }, result: { promise: true, copy: true } } as const
  return {
    noop: () => noop!.apply(undefined, []),
    parallel: () => parallel!.apply(undefined, [50], options),
    sequential: () => sequential!.apply(undefined, [50], options),
    dispose: () => isolate.dispose(),
  }
}

/** A warm call and a service call, each against bare isolated-vm in this process. */
export async function run(): Promise<BenchLine[]> {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const bare = await bareIsolate()
  try {
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
    // A host process runs for days: let the compilers of both sides finish first.
    await microseconds(60_000, 50, () => call('noop'))
    await microseconds(60_000, 50, bare.noop)
    const took = await alternate(5, {
      noop50: () => microseconds(20_000, 50, () => call('noop')),
      bareNoop50: () => microseconds(20_000, 50, bare.noop),
      noop1: () => microseconds(800, 1, () => call('noop')),
      bareNoop1: () => microseconds(800, 1, bare.noop),
      parallel: async () => (await microseconds(40, 1, () => call('parallel', '50'))) / 50,
      bareParallel: async () => (await microseconds(40, 1, bare.parallel)) / 50,
      sequential: async () => (await microseconds(10, 1, () => call('sequential', '50'))) / 50,
      bareSequential: async () => (await microseconds(10, 1, bare.sequential)) / 50,
      direct: () =>
        microseconds(2_000, 1, async () => JSON.parse(await service('students.list', JSON.stringify({ page: 1 })))),
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
    bare.dispose()
    await sandbox.close()
  }
}
