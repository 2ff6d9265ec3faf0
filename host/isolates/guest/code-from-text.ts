/**
 * Code that does not stand in the bundle was neither scanned, reviewed nor signed, so none is made: `eval`, `Function` and
 * its kin throw the EvalError that browsers throw under a Content-Security-Policy, and libraries that have another way
 * catch. What neither a global nor a `constructor` leads to, no guest can reach. Sent into the isolate as source text.
 */
export function refuseCodeFromText(): void {
  const { defineProperty, getPrototypeOf } = Reflect
  const refuse = () => {
    throw new EvalError('Code generation from strings disallowed for this context')
  }
  /** `Function('return this')()` is how older libraries find the global object: it stands for a value, not for code. */
  const makeFunction = (text: unknown) =>
    text === 'return this' || text === 'return this;' ? () => globalThis : refuse()
  const makers: [prototype: object, make: (text: unknown) => unknown][] = [
    [Function.prototype, makeFunction],
    [getPrototypeOf(async () => {})!, refuse],
    [getPrototypeOf(function* () {})!, refuse],
    [getPrototypeOf(async function* () {})!, refuse],
  ]
  for (const [prototype, make] of makers) {
    function Maker(text: unknown) {
      return make(text)
    }
    defineProperty(Maker, 'name', { value: prototype.constructor.name, configurable: true })
    defineProperty(Maker, 'prototype', { value: prototype, writable: false })
    defineProperty(prototype, 'constructor', { value: Maker })
  }
  define('Function', Function.prototype.constructor)
  define('eval', (code: unknown) => (typeof code === 'string' ? refuse() : code))

  function define(name: string, value: unknown) {
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
}
