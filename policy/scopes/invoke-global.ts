import { castingGlobals, type Platform } from './context.ts'
import { taint } from './escapes.ts'
import { callFlags } from './facts.ts'
import { type Call, escapeAll, reportCast, watchCall } from './invoke.ts'
import { promiseFunctions } from './invoke-promise.ts'
import { constructing, type GlobalFunction, inside, listOf, loseSight, nodeOf, pairOf, partOf } from './made.ts'
import { copyFields } from './spread.ts'
import { add, fieldNode, flow, freshNode, listen, objectHere, type Solver } from './solver.ts'
import { anyField, type Form, type ObjectValue } from './values.ts'

const planting = new Set([
  'Object.defineProperty',
  'Object.defineProperties',
  'Object.setPrototypeOf',
  'Reflect.set',
  'Reflect.defineProperty',
  'Reflect.setPrototypeOf',
])

const passing = [
  'Promise.all',
  'Promise.resolve',
  'Object.freeze',
  'Object.seal',
  'String',
  'structuredClone',
  'JSON.stringify',
  'JSON.parse',
]
/** What tells something of a value and gives nothing of it away. */
const telling = ['Object.keys', 'Object.hasOwn', 'Object.is', 'Object.isFrozen', 'Array.isArray', 'Boolean']

const functions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>([
  ...promiseFunctions,
  ...passing.map((path): [string, GlobalFunction] => [path, pass]),
  ...telling.map((path): [string, GlobalFunction] => [path, () => undefined]),
  ['Array', constructing(listArguments)],
  ['Array.of', listArguments],
  ['Array.from', list],
  ['Array.fromAsync', list],
  ['Iterator.from', list],
  ['Set', constructing(list)],
  ['Map', constructing(collectPairs)],
  ['Object.values', list],
  ['Object.entries', listPairs],
  ['Object.fromEntries', fromEntries],
  ['Object.assign', assign],
  ['Object.create', create],
  ['Object.groupBy', groupBy],
  ['Map.groupBy', groupIntoMap],
])

/** The language's own functions: what the honest ones do to a value is known, so nothing is lost from sight in them. */
export function invokeGlobal(solver: Solver, platform: Platform, call: Call, path: string): void {
  if (castingGlobals.test(path)) {
    for (const argument of call.args) listen(solver, argument, (value) => reportCast(solver, value, call.place))
    return
  }
  const known = functions.get(path)
  if (known) {
    known(solver, platform, call, path)
    return
  }
  if (planting.has(path)) listen(solver, call.args[0] ?? 0, (value) => value.kind === 'object' && taint(solver, value))
  loseSight(solver, call, path)
}

/** With a function beside it (of `JSON.parse`) the value is not passed on as it is. */
function pass(solver: Solver, _platform: Platform, call: Call, path: string): void {
  const [first = 0, ...more] = call.args
  if (more.some((argument) => argument !== 0)) loseSight(solver, call, path)
  else flow(solver, first, call.result)
}

function listArguments(solver: Solver, _platform: Platform, call: Call): void {
  const made = collected(solver, call, 'list')
  for (const argument of call.args) flow(solver, argument, fieldNode(solver, made, anyField))
}

/** A list, set or Map that the call makes; one that the module itself makes outlives the calls of its handlers. */
function collected(solver: Solver, call: Call, form: Form): ObjectValue {
  const made = objectHere(solver, 'collected', form, (call.flags & callFlags.lasting) !== 0)
  add(solver, call.result, made)
  return made
}

/** Of all the pairs a Map is made of one, for which of them is asked for is not told: tables have thousands. */
function collectPairs(solver: Solver, platform: Platform, call: Call): void {
  const pairs = inside(solver, platform, call.args[0] ?? 0, call.place)
  const [keys, values] = (['0', '1'] as const).map((part) => partOf(solver, platform, pairs, part, call.place))
  const made = collected(solver, call, 'map')
  add(solver, fieldNode(solver, made, anyField), pairOf(solver, keys ?? 0, values ?? 0))
}

/** The elements of something as a list of its own; with a callback, what that answers for each. */
function list(solver: Solver, platform: Platform, call: Call): void {
  const elements = inside(solver, platform, call.args[0] ?? 0, call.place)
  const result = fieldNode(solver, collected(solver, call, 'list'), anyField)
  const callback = call.args[1] ?? 0
  if (callback === 0) {
    flow(solver, elements, result)
    return
  }
  watchCall(solver, platform, {
    ...call,
    callee: callback,
    receiver: 0,
    result,
    flags: 0,
    text: undefined,
    args: [elements, 0],
  })
}

function listPairs(solver: Solver, platform: Platform, call: Call): void {
  const pair = pairOf(solver, 0, inside(solver, platform, call.args[0] ?? 0, call.place))
  add(solver, call.result, listOf(solver, 'list', nodeOf(solver, pair)))
}

function fromEntries(solver: Solver, platform: Platform, call: Call): void {
  const made = objectHere(solver, 'entries', 'object')
  const pairs = inside(solver, platform, call.args[0] ?? 0, call.place)
  flow(solver, partOf(solver, platform, pairs, '1', call.place), fieldNode(solver, made, anyField))
  add(solver, call.result, made)
}

function assign(solver: Solver, _platform: Platform, call: Call): void {
  const [target, ...sources] = call.args
  listen(solver, target ?? 0, (value) => {
    add(solver, call.result, value)
    if (value.kind === 'object') for (const source of sources) copyFields(solver, source, value, call.place)
    else escapeAll(solver, { ...call, args: sources }, 'unknown', 'it is put into something the scan cannot follow')
  })
}

function create(solver: Solver, _platform: Platform, call: Call, path: string): void {
  const [prototype = 0, properties = 0] = call.args
  if (properties !== 0) {
    loseSight(solver, call, path)
    return
  }
  const created = objectHere(solver, 'created', 'object', (call.flags & callFlags.lasting) !== 0)
  copyFields(solver, prototype, created, call.place)
  add(solver, call.result, created)
}

/** The groups, each a list of elements; the callback's answers are the keys. */
function groups(solver: Solver, platform: Platform, call: Call, keys: number): number {
  const elements = inside(solver, platform, call.args[0] ?? 0, call.place)
  const callee = call.args[1] ?? 0
  watchCall(solver, platform, {
    ...call,
    callee,
    receiver: 0,
    result: keys,
    flags: 0,
    text: undefined,
    args: [elements, 0],
  })
  return nodeOf(solver, listOf(solver, 'group', elements))
}

function groupBy(solver: Solver, platform: Platform, call: Call): void {
  const made = objectHere(solver, 'groups', 'object')
  flow(solver, groups(solver, platform, call, 0), fieldNode(solver, made, anyField))
  add(solver, call.result, made)
}

function groupIntoMap(solver: Solver, platform: Platform, call: Call): void {
  const keys = freshNode(solver)
  const made = objectHere(solver, 'groups', 'map')
  add(solver, fieldNode(solver, made, anyField), pairOf(solver, keys, groups(solver, platform, call, keys)))
  add(solver, call.result, made)
}
