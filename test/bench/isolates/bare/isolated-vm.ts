import ivm from 'isolated-vm'
import { microseconds } from '../support.ts'
import { handlers, service } from '../module-call-handlers.ts'

/**
 * Bare isolated-vm as its manual shows it, in a process of its own: asynchronous calls and a Reference to a host function.
 * No process of ours that serves users loads it, and its garbage must not be collected on our account.
 */
const bareCode = `{
  const host = globalThis.__host
  delete globalThis.__host
  const promised = { result: { promise: true } }
  const callHost = async (path, args) => JSON.parse(await host.apply(undefined, [path, JSON.stringify(args)], promised))
  globalThis.handlers = ${handlers}
}`

const isolate = new ivm.Isolate({ memoryLimit: 128 })
const context = await isolate.createContext()
await context.global.set('__host', new ivm.Reference(service))
await context.eval(bareCode)
const handler = (name: string) => context.eval(`handlers.${name}`, { reference: true })
const references = {
  noop: await handler('noop'),
  parallel: await handler('parallel'),
  sequential: await handler('sequential'),
}
const options = { arguments: { copy: true }, result: { promise: true, copy: true } } as const

process.on(
  'message',
  async ({ name, count, atOnce }: { name: keyof typeof references; count: number; atOnce: number }) => {
    const call =
      name === 'noop'
        ? () => references.noop.apply(undefined, [])
        : () => references[name].apply(undefined, [50], options)
    process.send?.(await microseconds(count, atOnce, call))
  },
)
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
