import type { Platform } from './context.ts'
import { reportLasting } from './effects.ts'
import { escapeNode } from './escapes.ts'
import { callFlags } from './facts.ts'
import { type Call, enter, escapeAll, watchCall } from './invoke.ts'
import { elementsOf, flatten, inside, listOf, nodeOf, objectWith, pairOf, partOf } from './made.ts'
import { type ListMethod, listMethods, commonMethods, textMethods } from './methods.ts'
import { add, fieldNode, flow, freshNode, listen, type Solver } from './solver.ts'
import { anyField, boundOf, type FunctionValue, type ObjectValue, unknown, type Value } from './values.ts'

/** A method of the language is called on a value. */
export function invokeMethod(solver: Solver, platform: Platform, call: Call, of: Value, name: string): void {
  if (name === 'valueOf') add(solver, call.result, of)
  else if (commonMethods.has(name)) goOn(solver, platform, call, of, name)
  else if (of.kind === 'function') borrow(solver, platform, call, of, name)
  else if (of.kind === 'object' && of.form === 'map') invokeMapMethod(solver, platform, call, of, name)
  else invokeListMethod(solver, platform, call, of, name)
}

/** What a promise holds is given to the callback; what that answers, or else what the promise holds, is held by the next one. */
function goOn(solver: Solver, platform: Platform, call: Call, of: Value, name: string): void {
  const [first = 0, second = 0] = call.args
  const failure = nodeOf(solver, unknown)
  const [done, failed] = name === 'then' ? [first, second] : [0, name === 'catch' ? first : 0]
  if (done === 0) add(solver, call.result, of)
  else callBack(solver, platform, call, done, [nodeOf(solver, of)])
  if (failed !== 0) callBack(solver, platform, call, failed, [failure])
  if (name === 'finally') callBack(solver, platform, { ...call, result: 0 }, first, [])
}

function callBack(solver: Solver, platform: Platform, call: Call, callee: number, args: readonly number[]): void {
  watchCall(solver, platform, { ...call, callee, receiver: 0, flags: 0, text: undefined, args })
}

function invokeListMethod(solver: Solver, platform: Platform, call: Call, of: Value, name: string): void {
  if ((of.kind === 'ulid' || of.kind === 'hashid') && textMethods.has(name)) add(solver, call.result, of)
  const method = listMethods.get(name) ?? (of.kind === 'record' ? ofRecord : undefined)
  if (!method) return
  const elements = of.kind === 'object' ? elementsOf(solver, of) : nodeOf(solver, of)
  if (method.calls) callWithElements(solver, platform, call, of, elements, method)
  if (of.kind === 'object') change(solver, call, of, elements, method)
  else if (method.takes !== undefined)
    escapeAll(solver, call, 'unknown', 'it is put into a list the scan does not follow')
  answer(solver, call, of, elements, method)
  if (method.gives === 'step') escapeAll(solver, call, 'unknown', 'it is given to an iterator')
}

/** A method of a text or a list in a record: which of them it is cannot be told. */
const ofRecord: ListMethod = { calls: 'element' }

function callWithElements(
  solver: Solver,
  platform: Platform,
  call: Call,
  of: Value,
  elements: number,
  { calls, gives }: ListMethod,
): void {
  const [callback = 0, second] = call.args
  if (callback === 0) return
  const list = nodeOf(solver, of)
  if (calls === 'next') {
    flow(solver, second ?? elements, call.result)
    callBack(solver, platform, call, callback, [call.result, elements, 0, list])
    return
  }
  becomesThis(solver, call, second ?? 0)
  const mapped = gives === 'mapped' || gives === 'flat'
  const result = mapped ? freshNode(solver) : 0
  callBack(
    solver,
    platform,
    { ...call, result },
    callback,
    calls === 'both' ? [elements, elements] : [elements, 0, list],
  )
  if (!mapped) return
  const made = listOf(solver, 'mapped', gives === 'flat' ? 0 : result)
  if (gives === 'flat') flatten(solver, result, fieldNode(solver, made, anyField))
  add(solver, call.result, made)
}

function becomesThis(solver: Solver, call: Call, value: number): void {
  escapeNode(solver, value, { to: 'unknown', place: call.place, why: 'it becomes `this` of a callback' })
}

/** What a method changes in the list. */
function change(
  solver: Solver,
  call: Call,
  list: ObjectValue,
  elements: number,
  { takes, takesInside, moves }: ListMethod,
): void {
  const any = fieldNode(solver, list, anyField)
  if (moves) flow(solver, elements, any)
  if (takes === undefined) return
  for (const argument of call.args.slice(takes)) {
    ;(takesInside ? flatten : flow)(solver, argument, any)
    if (list.lasting) listen(solver, argument, (value) => reportLasting(solver, value, call.place))
  }
}

function answer(solver: Solver, call: Call, of: Value, elements: number, method: ListMethod): void {
  const { gives, calls } = method
  if (gives === 'list') add(solver, call.result, of)
  else if (gives === 'element') flow(solver, elements, call.result)
  else if (gives === 'flat' && !calls) add(solver, call.result, flatOf(solver, elements, call.args.length > 0))
  else if (gives === 'pairs')
    add(solver, call.result, listOf(solver, 'pairs', nodeOf(solver, pairOf(solver, 0, elements))))
  else if (gives === 'step') add(solver, call.result, objectWith(solver, 'step', { value: elements }))
}

/** A list without lists in it: those of the first depth, or of every. */
function flatOf(solver: Solver, elements: number, deep: boolean): ObjectValue {
  const made = listOf(solver, 'flat', 0)
  const any = fieldNode(solver, made, anyField)
  flatten(solver, elements, any)
  if (deep) flatten(solver, any, any)
  return made
}

/** A Map holds pairs of a key and a value; whichever key is asked for, any of the values may be meant. */
function invokeMapMethod(solver: Solver, platform: Platform, call: Call, map: ObjectValue, name: string): void {
  const part = (key: '0' | '1') => partOf(solver, platform, elementsOf(solver, map), key, call.place)
  const [first = 0, second = 0] = call.args
  if (name === 'get') flow(solver, part('1'), call.result)
  else if (name === 'values') add(solver, call.result, listOf(solver, 'values', part('1')))
  else if (name === 'keys') add(solver, call.result, listOf(solver, 'keys', part('0')))
  else if (name === 'entries') add(solver, call.result, listOf(solver, 'copy', elementsOf(solver, map)))
  else if (name === 'forEach') {
    becomesThis(solver, call, second)
    callBack(solver, platform, call, first, [part('1'), part('0'), nodeOf(solver, map)])
  } else if (name === 'set') {
    const pair = pairOf(solver, first, second)
    add(solver, fieldNode(solver, map, anyField), pair)
    for (const value of [first, second])
      if (map.lasting) listen(solver, value, (held) => reportLasting(solver, held, call.place))
    add(solver, call.result, map)
  }
}

/** `helper.call(self, services)`, `helper.apply(self, [services])`, `helper.bind(null, services)`. */
function borrow(solver: Solver, platform: Platform, call: Call, of: FunctionValue, name: string): void {
  const [self = 0, ...args] = call.args
  flow(solver, self, of.self)
  if (name === 'call') enter(solver, { ...call, receiver: 0, args }, of)
  else if (name === 'apply') apply(solver, platform, { ...call, receiver: 0 }, of, args[0] ?? 0)
  else {
    enter(solver, { ...call, receiver: 0, result: 0, args }, of)
    // Of a list that is spread nobody can tell how many parameters it fills.
    add(solver, call.result, call.flags & callFlags.spread ? of : boundOf(of, args.length))
  }
}

function apply(solver: Solver, platform: Platform, call: Call, of: FunctionValue, list: number): void {
  const args = of.parameters.map((_, index) => partOf(solver, platform, list, String(index), call.place))
  enter(solver, { ...call, args, flags: 0 }, of)
  if (of.rest === 0) return
  const further = [...args.map(() => 0), inside(solver, platform, list, call.place)]
  enter(solver, { ...call, args: further, flags: 0 }, of)
}
