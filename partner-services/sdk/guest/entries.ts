import type { Fields, ModuleRequest } from '../context.ts'
import type { ModuleDefinition } from '../define-module.ts'
import { NotFoundException } from '../errors.ts'
import type { WidgetContext } from '../landing-widget.ts'
import { callHost, type HostCall } from './call.ts'
import { bindContext, type CommonInput } from './context.ts'
import { findRoute, type Route } from './route-table.ts'

/** One kind of call. `Input` is the host's word and well formed; what it names may be absent from the module. */
type Entry<Input> = (module: LoadedModule, input: Input & CommonInput, call: HostCall) => unknown

export type LoadedModule = { definition: ModuleDefinition; routes: readonly Route[] }

/** `repeated`: all values of the fields that came more than once. */
type RouteInput = Omit<ModuleRequest, 'params' | 'valuesOf'> & { repeated?: Record<string, string[]> }

export const runRoute: Entry<RouteInput> = ({ routes }, input, call) => {
  const found = findRoute(routes, input.method, input.path)
  if (!found) return absent('route')
  const { params } = found
  const { method, path, query = {}, headers = {}, repeated = {} } = input
  const body = input.body ?? {}
  const sent = method === 'POST' ? body : query
  const valuesOf = (name: string): string[] => {
    const only = own(sent, name)
    return own(repeated, name) ?? (only === undefined ? [] : [only])
  }
  const request = { method, path, params, query, body, headers, valuesOf }
  return found.route.handler({ ...bindContext(input, call), request, params, query, body })
}

export const runTool: Entry<{ name: string; input: never }> = ({ definition }, input, call) => {
  const tool = definition.tools?.find(({ name }) => name === input.name) ?? absent(`tool ${input.name}`)
  return tool.handler({ ...bindContext(input, call), input: input.input })
}

export const runEvent: Entry<{ name: string; data: Record<string, unknown> }> = async ({ definition }, input, call) => {
  const handler = own(definition.events, input.name) ?? absent(`handler of ${input.name}`)
  await handler({ ...bindContext(input, call), event: { name: input.name, data: input.data } })
  return { ok: true }
}

export const runProfile: Entry<{ key: string; studentHashid: string }> = async ({ definition }, input, call) => {
  const contribution = own(definition.studentProfile, input.key) ?? absent(`contribution ${input.key}`)
  const context = { ...bindContext(input, call), studentHashid: input.studentHashid }
  if (contribution.kind === 'panel') return contribution.render(context)
  if (contribution.kind === 'stat') return { value: await contribution.value(context) }
  if (!('run' in contribution)) return absent(`action ${input.key}`)
  return (await contribution.run(context)) ?? { ok: true }
}

export const runWidget: Entry<{ key: string }> = ({ definition }, input, call) => {
  const Widget = own(definition.widgets, input.key) ?? absent(`widget ${input.key}`)
  return new Widget().render(bindContext(input, call) as WidgetContext<never>)
}

type ActionInput = { key: string; action: string; input: Fields }

export const runWidgetAction: Entry<ActionInput> = async ({ definition }, input, call) => {
  const Widget = own(definition.widgets, input.key) ?? absent(`widget ${input.key}`)
  const run = own(new Widget().actions, input.action) ?? absent(`action ${input.action}`)
  const context = bindContext(input, call) as WidgetContext<never>
  const withPublicWrite = async <Result>(action: string, write: () => Promise<Result>) => {
    const { allowed } = await callHost<{ allowed: boolean }>(call, 'public.write', { widget: input.key, action })
    return allowed ? write() : null
  }
  return (await run({ ...context, input: input.input, withPublicWrite })) ?? { ok: true }
}

type ProviderInput = {
  operation: string
  payload?: never
  channel?: string
  charge?: never
  refund?: never
  currency?: string
}

export const runNotification: Entry<ProviderInput> = ({ definition }, input, call) => {
  const provider = definition.notificationProvider ?? absent('notification provider')
  const context = bindContext(input, call)
  if (input.operation === 'send') return provider.send({ ...context, payload: input.payload! })
  if (input.operation === 'supports') return provider.supports(input.channel ?? '')
  return input.operation === 'isConfigured' ? provider.isConfigured(context) : absent(input.operation)
}

export const runPayment: Entry<ProviderInput> = ({ definition }, input, call) => {
  const provider = definition.paymentProvider ?? absent('payment provider')
  const context = bindContext(input, call)
  if (input.operation === 'charge') return provider.charge({ ...context, charge: input.charge! })
  if (input.operation === 'refund') return provider.refund({ ...context, refund: input.refund! })
  if (input.operation === 'supports') return provider.supports(input.currency ?? '')
  return input.operation === 'isConfigured' ? provider.isConfigured(context) : absent(input.operation)
}

/** Thrown where the module has no such thing: the host hears `n`, as for a missing route. */
export class AbsentEntry extends NotFoundException {}

function absent(what: string): never {
  throw new AbsentEntry(`the module has no ${what}`)
}

function own<Value>(record: Record<string, Value> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}
