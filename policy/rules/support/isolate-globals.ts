/** The globals of an isolate: the language's own that are left there, and what it is given beside them. A test in an isolate holds the list. */
export const isolateGlobals: ReadonlySet<string> = new Set(
  `AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date
  DisposableStack Error EvalError Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator
  JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol
  SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
  console setTimeout clearTimeout setInterval clearInterval queueMicrotask crypto TextEncoder TextDecoder URL URLSearchParams`.split(
    /\s+/,
  ),
)
