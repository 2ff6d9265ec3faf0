/**
 * Takes away what apps have no use for and attacks have: ways to allocate outside the heap limit, to block a thread or to
 * run code after a call. Sent into the isolate as source text.
 */
export function hardenGlobals(): void {
  const { construct, defineProperty, deleteProperty } = Reflect
  for (const name of [
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'FinalizationRegistry',
    'WeakRef',
    'Float16Array',
    'ShadowRealm',
  ]) {
    deleteProperty(globalThis, name)
  }
  // Resizable buffers reserve their maximum outside the heap limit: the constructor keeps its first argument only.
  const NativeBuffer = ArrayBuffer
  const PlainBuffer = function (this: unknown, length: unknown) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'")
    return construct(NativeBuffer, [length], new.target)
  }
  defineProperty(PlainBuffer, 'name', { value: 'ArrayBuffer', configurable: true })
  defineProperty(PlainBuffer, 'prototype', { value: NativeBuffer.prototype, writable: false })
  defineProperty(PlainBuffer, 'isView', { value: NativeBuffer.isView, writable: true, configurable: true })
  defineProperty(NativeBuffer.prototype, 'constructor', { value: PlainBuffer, writable: true, configurable: true })
  for (const name of ['resize', 'transfer', 'transferToFixedLength']) deleteProperty(NativeBuffer.prototype, name)
  defineProperty(globalThis, 'ArrayBuffer', { value: PlainBuffer, writable: true, configurable: true })
}
