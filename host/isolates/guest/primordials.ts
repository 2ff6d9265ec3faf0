/**
 * All that the bootstrap uses later, captured before the partner's bundle can replace any global or prototype. Sent into
 * the isolate as source text.
 */
export function capturePrimordials() {
  const { call } = Function.prototype
  const unbound = <This, Args extends unknown[], Result>(method: (this: This, ...args: Args) => Result) =>
    call.bind(method as never) as unknown as (self: This, ...args: Args) => Result
  const { get, set, delete: remove, clear, forEach } = Map.prototype
  const { get: weakGet, set: weakSet } = WeakMap.prototype
  return {
    parse: JSON.parse,
    stringify: JSON.stringify,
    apply: Reflect.apply,
    defineProperty: Reflect.defineProperty,
    deleteProperty: Reflect.deleteProperty,
    createObject: Object.create,
    toText: String,
    GuestError: Error,
    GuestPromise: Promise,
    slice: unbound(String.prototype.slice),
    indexOf: unbound(String.prototype.indexOf as (this: string, search: string, from: number) => number),
    mapGet: unbound(get as (this: Map<number, unknown>, key: number) => unknown),
    mapSet: unbound(set as (this: Map<number, unknown>, key: number, value: unknown) => unknown),
    mapDelete: unbound(remove as (this: Map<number, unknown>, key: number) => boolean),
    mapForEach: unbound(forEach as (this: Map<number, unknown>, visit: (value: unknown, key: number) => void) => void),
    mapClear: unbound(clear as (this: Map<number, unknown>) => void),
    weakGet: unbound(weakGet as (this: WeakMap<object, string>, key: object) => string | undefined),
    weakSet: unbound(weakSet as (this: WeakMap<object, string>, key: object, value: string) => unknown),
  }
}

export type Primordials = ReturnType<typeof capturePrimordials>
