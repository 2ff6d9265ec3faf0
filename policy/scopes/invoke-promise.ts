import type { Platform } from './context.ts'
import { type Call, watchCall } from './invoke.ts'
import { constructing, type GlobalFunction, inside, listOf, nodeOf, objectWith } from './made.ts'
import { add, fieldNode, flow, listen, objectHere, type Solver, watchFields } from './solver.ts'
import { anyField, methodOf, unknown } from './values.ts'

/** A promise and what it holds are one value, so what these do is to hand values on. */
export const promiseFunctions: readonly (readonly [path: string, GlobalFunction])[] = [
  ['Promise', constructing(construct)],
  ['Promise.withResolvers', withResolvers],
  ['Promise.try', tryCall],
  ['Promise.race', first],
  ['Promise.any', first],
  ['Promise.allSettled', allSettled],
]

/** What is pushed into this list is what the promise holds. What it fails with is followed no further. */
function resolver(solver: Solver): { promise: number; resolve: number; reject: number } {
  const held = listOf(solver, 'promise', 0)
  return {
    promise: fieldNode(solver, held, anyField),
    resolve: nodeOf(solver, methodOf(held, 'push')),
    reject: nodeOf(solver, unknown),
  }
}

function construct(solver: Solver, platform: Platform, call: Call): void {
  const { promise, resolve, reject } = resolver(solver)
  const callee = call.args[0] ?? 0
  watchCall(solver, platform, {
    ...call,
    callee,
    receiver: 0,
    result: 0,
    flags: 0,
    text: undefined,
    args: [resolve, reject],
  })
  flow(solver, promise, call.result)
}

function withResolvers(solver: Solver, _platform: Platform, call: Call): void {
  add(solver, call.result, objectWith(solver, 'resolvers', resolver(solver)))
}

function tryCall(solver: Solver, platform: Platform, call: Call): void {
  const [callee = 0, ...args] = call.args
  watchCall(solver, platform, { ...call, callee, receiver: 0, text: undefined, args })
}

function first(solver: Solver, platform: Platform, call: Call): void {
  flow(solver, inside(solver, platform, call.args[0] ?? 0, call.place), call.result)
}

/** Of each promise in a list, in the same place, `{status, value, reason}`. */
function allSettled(solver: Solver, platform: Platform, call: Call): void {
  const settled = objectHere(solver, 'settled', 'list')
  const outcome = (name: string, value: number) => {
    const index = /^\d+$/.test(name) ? name : anyField
    add(solver, fieldNode(solver, settled, index), objectWith(solver, `settled${index}`, { value }))
  }
  listen(solver, call.args[0] ?? 0, (value) => {
    if (value.kind === 'object') watchFields(value, outcome)
    else outcome(anyField, inside(solver, platform, nodeOf(solver, value), call.place))
  })
  add(solver, call.result, settled)
}
