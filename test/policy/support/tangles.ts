// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are modules' source
import fc from 'fast-check'
import { followModule, route } from './flow.ts'

const variables = ['a', 'b', 'c', 'd', 'ctx']

/** Statements that put one of a few variables into another, in every form the scan follows. */
const forms = [
  'X = Y.map(Z)',
  'X = Y.map((q) => Z)',
  'X = new Y(Z)',
  'X = Y.call(Z, Y)',
  'X = Y.apply(Z, [Y])',
  'X = Y.bind(Z, X)',
  'X = [...Y, Z]',
  'X = { ...Y, k: Z }',
  'X = Object.assign(Y, Z)',
  'X = Object.entries(Y)',
  'X = Object.fromEntries(Y)',
  'X = Array.from(Y, Z)',
  'X = Y[Z]',
  'X.k = Y',
  'X[Y] = Z',
  'X = Y.k',
  'X = class extends Y { m(p) { return Z } static s = Z }',
  'X = (p, ...r) => Y(p, r, Z)',
  'X = function (p) { return this.m(p, Z) }',
  'X = Y(Z, ...X)',
  'X = Y.reduce(Z, X)',
  'X = Y.then(Z)',
  'X.push(Y)',
  'X = Y.flatMap((q) => [q, Z])',
  'X = Promise.all(Y)',
  'X = Y`${Z}`',
  'X = globalThis',
  'X = Y ?? Z',
  'X = Math',
  'X = async ({ services, ...o }) => Y(services, o)',
  'X = Y.entries()',
  'X = [Y]',
  'X = [[Y], [Z]]',
  'for (const e of X) Y = e',
  '({ k: X, ...Y } = Z)',
  'X = class { constructor(p) { this.k = Y; return Z } get g() { return X } }',
  'X = Y.concat(Z)',
  'X = structuredClone(Y)',
  'X.__proto__ = Y',
  'Object.setPrototypeOf(X, Y)',
  'X = Y.prototype',
  'X = (r) => r.services.education.students.list({ id: Y })',
  'X = Y.at(0)',
  'X = new Promise(Y)',
  'X = Promise.withResolvers().promise.then(Y).catch(Z)',
  'X = Promise.allSettled(Y)',
  'X = Promise.race([Y, Z])',
  'X = new Map(Y)',
  'X = Y.set(Y, Z)',
  'X = Y.get(Z)',
  'X = new Set(Y)',
  'X = Y.add(Z)',
  'X = Y.flat(9)',
  'X = Y.filter(Z).sort(X)',
  'X = Map.groupBy(Y, Z)',
  'X = (function* () { yield Y; return yield* Z })()',
  'X = Y.next()',
]

const statement = fc
  .tuple(fc.constantFrom(...forms), ...[0, 1, 2].map(() => fc.constantFrom(...variables)))
  .map(([form, x = 'a', y = 'a', z = 'a']) =>
    form
      .replace(/X/g, x === 'ctx' ? 'a' : x)
      .replace(/Y/g, y)
      .replace(/Z/g, z),
  )

/** However values are led in circles, following them comes to an end. */
export function checkTangles(runs: number, seed: number): void {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 2, maxLength: 8 }), (statements) => {
      followModule(route([...statements, 'return a'].join('\n'), 'let a, b, c, d'))
    }),
    { numRuns: runs, seed, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
}
