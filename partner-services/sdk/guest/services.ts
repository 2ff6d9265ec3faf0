import type { Services } from '../generated/services.ts'
import { callHost, type HostCall } from './call.ts'

/** `services.education.students.get(input)` calls `services.education.students.get` of the host, which knows the names. */
export function bindServices(call: HostCall): Services {
  return node(call, 'services') as Services
}

function node(call: HostCall, path: string): unknown {
  const known = new Map<string, unknown>()
  const invoke = (input: unknown = {}) => callHost(call, path, input)
  return new Proxy(invoke, {
    get(_target, name) {
      // The language asks for these: promises for `then`, JSON for `toJSON`, texts and sums for the others.
      if (name === 'toString') return () => path
      if (typeof name === 'symbol' || ['then', 'toJSON', 'valueOf'].includes(name)) return undefined
      if (!known.has(name)) known.set(name, node(call, `${path}.${name}`))
      return known.get(name)
    },
  })
}
