import { castingGlobals, type Platform } from './context.ts'
import { type Call, escapeAll, reportCast, watchCall } from './invoke.ts'
import { load } from './loads.ts'
import { copyFields } from './spread.ts'
import { add, fieldNode, flow, freshNode, listen, objectHere, type Solver } from './solver.ts'
import { anyField, unknown } from './values.ts'
import { taint } from './escapes.ts'

const passing = new Set([
  'Promise.all',
  'Promise.resolve',
  'Promise.allSettled',
  'Promise.race',
  'Promise.any',
  'Object.freeze',
  'Object.seal',
  'String',
  'structuredClone',
  'JSON.stringify',
  'JSON.parse',
  'Set',
  'Array.of',
])
const listing = new Set(['Object.values', 'Object.entries'])
const planting = new Set([
  'Object.defineProperty',
  'Object.defineProperties',
  'Object.setPrototypeOf',
  'Reflect.set',
  'Reflect.defineProperty',
  'Reflect.setPrototypeOf',
])

/** The language's own functions: what the honest ones do to a value is known, so nothing is lost from sight in them. */
export function invokeGlobal(solver: Solver, platform: Platform, call: Call, path: string): void {
  const [first] = call.args
  if (castingGlobals.test(path)) {
    for (const argument of call.args) listen(solver, argument, (value) => reportCast(solver, value, call.place))
    return
  }
  if (passing.has(path)) {
    flow(solver, first ?? 0, call.result)
    return
  }
  if (path === 'Array.from') {
    if (call.args[1]) mapFrom(solver, platform, call, first ?? 0, call.args[1])
    list(solver, platform, call, first ?? 0, false)
    return
  }
  if (path === 'Object.assign') {
    assign(solver, call)
    return
  }
  if (listing.has(path)) {
    list(solver, platform, call, first ?? 0, path === 'Object.entries')
    return
  }
  if (path === 'Object.fromEntries') {
    fromEntries(solver, platform, call, first ?? 0)
    return
  }
  if (planting.has(path)) listen(solver, first ?? 0, (value) => value.kind === 'object' && taint(solver, value))
  escapeAll(solver, call, 'library', `it is given to \`${path}\``)
  add(solver, call.result, unknown)
}

function mapFrom(solver: Solver, platform: Platform, call: Call, source: number, callback: number): void {
  const element = freshNode(solver)
  listen(solver, source, (value) => load(solver, platform, value, undefined, element, call.place))
  watchCall(solver, platform, { ...call, callee: callback, receiver: 0, flags: 0, text: undefined, args: [element, 0] })
}

function assign(solver: Solver, call: Call): void {
  const [target, ...sources] = call.args
  listen(solver, target ?? 0, (value) => {
    add(solver, call.result, value)
    if (value.kind === 'object') for (const source of sources) copyFields(solver, source, value, call.place)
    else escapeAll(solver, { ...call, args: sources }, 'unknown', 'it is put into something the scan cannot follow')
  })
}

function list(solver: Solver, platform: Platform, call: Call, source: number, pairs: boolean): void {
  const made = objectHere(solver, 'list', true)
  const pair = objectHere(solver, 'pair', true)
  const elements = pairs ? fieldNode(solver, pair, '1') : fieldNode(solver, made, anyField)
  listen(solver, source, (value) => load(solver, platform, value, undefined, elements, call.place))
  if (pairs) add(solver, fieldNode(solver, made, anyField), pair)
  add(solver, call.result, made)
}

function fromEntries(solver: Solver, platform: Platform, call: Call, source: number): void {
  const made = objectHere(solver, 'entries', false)
  const entry = freshNode(solver)
  listen(solver, source, (value) => load(solver, platform, value, undefined, entry, call.place))
  listen(solver, entry, (value) =>
    load(solver, platform, value, undefined, fieldNode(solver, made, anyField), call.place),
  )
  add(solver, call.result, made)
}
