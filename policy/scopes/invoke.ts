import { callbackMethods, castingGlobals, keepingMethods, type Platform, textMethods } from './context.ts'
import { escapeNode } from './escapes.ts'
import type { ExitKind } from './exits.ts'
import { callFlags } from './facts.ts'
import { invokeCapability } from './invoke-capability.ts'
import { invokeGlobal } from './invoke-global.ts'
import {
  add,
  fieldNode,
  flow,
  freshNode,
  intern,
  listen,
  objectHere,
  type Place,
  report,
  type Solver,
  watchFields,
} from './solver.ts'
import { anyField, type ClassValue, type ObjectValue, unknown, type Value } from './values.ts'

export type Call = {
  readonly callee: number
  readonly receiver: number
  readonly result: number
  readonly place: Place
  readonly flags: number
  /** The text of the first argument where it can be told; of a template, its beginning and `…`. */
  readonly text: string | undefined
  readonly args: readonly number[]
}

/** Applies a call to everything its callee may be, now or later. */
export function watchCall(solver: Solver, platform: Platform, call: Call): void {
  let answered = false
  listen(solver, call.callee, (value) => {
    answered = true
    invoke(solver, platform, call, value)
  })
  if (call.args.length > 0)
    solver.atRest.push(() => answered || escapeAll(solver, call, 'unknown', 'nobody can tell what is called'))
}

/** What one possible callee makes of a call. */
export function invoke(solver: Solver, platform: Platform, call: Call, value: Value): void {
  switch (value.kind) {
    case 'function':
      // What `new` of a plain function makes lives on its prototype, which is not followed.
      if (call.flags & callFlags.construct)
        escapeAll(solver, call, 'unknown', 'it is given to a function used as a class')
      enter(solver, call, value)
      return
    case 'class':
      construct(solver, platform, call, value)
      return
    case 'capability':
      invokeCapability(solver, platform, call, value.path)
      return
    case 'global':
      invokeGlobal(solver, platform, call, value.path)
      return
    case 'method':
      invokeMethod(solver, platform, call, value.of, value.name)
      return
    case 'unknown':
      escapeAll(solver, call, 'unknown', 'it is given to code the scan cannot follow')
      add(solver, call.result, unknown)
      return
    default:
      return
  }
}

export function escapeAll(solver: Solver, call: Call, to: ExitKind, why: string): void {
  const exit = { to, place: call.place, why }
  for (const argument of call.args) escapeNode(solver, argument, exit)
}

function enter(solver: Solver, call: Call, target: Extract<Value, { kind: 'function' }>, shift = 0): void {
  const { parameters, rest } = target
  const list = rest === 0 ? undefined : restList(solver, target)
  call.args.slice(shift).forEach((argument, index) => {
    const parameter = parameters[index]
    if (parameter !== undefined) flow(solver, argument, parameter)
    else if (list) flow(solver, argument, fieldNode(solver, list, anyField))
    // A spread list may fill every parameter that follows.
    if (call.flags & callFlags.spread) {
      for (const later of parameters.slice(index)) flow(solver, argument, later)
      if (list) flow(solver, argument, fieldNode(solver, list, anyField))
    }
  })
  flow(solver, call.receiver, target.self)
  flow(solver, target.result, call.result)
}

const restLists = new WeakMap<Value, ObjectValue>()

function restList(solver: Solver, target: Extract<Value, { kind: 'function' }>) {
  const known = restLists.get(target)
  if (known) return known
  const list = objectHere(solver, `rest${target.rest}`, true)
  restLists.set(target, list)
  add(solver, target.rest, list)
  return list
}

/** Whose parents have been given each list of arguments, so that a class that extends itself is built once. */
const handedUp = new WeakMap<readonly number[], Set<ClassValue>>()

/** `new` of a class of the module; without a constructor of its own the parent's runs, on the child's instance. */
export function construct(solver: Solver, platform: Platform, call: Call, target: ClassValue): void {
  add(solver, call.result, target.instance)
  if (target.constructor_?.kind === 'function') {
    enter(solver, { ...call, receiver: target.self }, target.constructor_)
    return
  }
  const known = handedUp.get(call.args) ?? new Set()
  if (target.parent === 0 || known.has(target)) return
  handedUp.set(call.args, known.add(target))
  watchCall(solver, platform, { ...call, callee: target.parent, receiver: target.self, result: 0 })
}

function invokeMethod(solver: Solver, platform: Platform, call: Call, of: Value, name: string): void {
  if (of.kind === 'function') {
    borrow(solver, call, of, name)
    return
  }
  if (of.kind === 'object') {
    invokeListMethod(solver, platform, call, of, name)
    return
  }
  if (of.kind === 'ulid' || of.kind === 'hashid') {
    if (textMethods.has(name)) add(solver, call.result, of)
  }
  if (!callbackMethods.has(name) && of.kind !== 'record') return
  // Lists of platform records: callbacks get the records, and what keeps elements is such a list again.
  const element = freshNode(solver)
  add(solver, element, of)
  callBack(solver, platform, call, [element, 0, element], name)
  if (keepingMethods.has(name)) add(solver, call.result, of)
}

function callBack(solver: Solver, platform: Platform, call: Call, args: readonly number[], name: string): void {
  const [callback, initial] = call.args
  if (callback === undefined) return
  const reduces = name.startsWith('reduce')
  if (!reduces && initial !== undefined) {
    // The second argument becomes `this` of the callback (or a second callback of a promise).
    escapeNode(solver, initial, { to: 'unknown', place: call.place, why: 'it becomes `this` of a callback' })
  }
  const result =
    name === 'map' || name === 'flatMap' || name === 'then' || name === 'catch' || reduces ? call.result : 0
  const given = reduces ? [call.result, ...args] : args
  if (reduces && initial !== undefined) flow(solver, initial, call.result)
  watchCall(solver, platform, {
    ...call,
    callee: callback,
    receiver: 0,
    result,
    flags: 0,
    text: undefined,
    args: given,
  })
  listen(solver, callback, (value) => {
    if (value.kind !== 'global' || !castingGlobals.test(value.path)) return
    listen(solver, given[0] ?? 0, (element) => reportCast(solver, element, call.place))
  })
}

export function reportCast(solver: Solver, value: Value, place: Place): void {
  if (value.kind === 'ulid') {
    report(solver, {
      rule: 'ulid-cast-to-int',
      place,
      message: 'An identifier is a text of 26 characters, never a number.',
      fix: 'Keep it as the string it is, and compare with `===`.',
    })
  }
  if (value.kind === 'hashid') {
    report(solver, {
      rule: 'student-hashid-misuse',
      place,
      message: 'A studentHashid is no number.',
      fix: 'Give it to `services.education.students.byHashid` as it is.',
    })
  }
}

/** Methods of the module's own lists, whose elements may be services. */
function invokeListMethod(
  solver: Solver,
  platform: Platform,
  call: Call,
  list: Extract<Value, { kind: 'object' }>,
  name: string,
): void {
  const elements = freshNode(solver)
  watchFields(list, (_name, node) => flow(solver, node, elements))
  if (name === 'push' || name === 'unshift' || name === 'splice' || name === 'fill' || name === 'concat') {
    for (const argument of call.args) {
      flow(solver, argument, fieldNode(solver, list, anyField))
      listen(
        solver,
        argument,
        (value) =>
          value.kind === 'object' &&
          watchFields(value, (_name, node) => flow(solver, node, fieldNode(solver, list, anyField))),
      )
    }
  }
  if (callbackMethods.has(name)) {
    const mapped = name === 'map' || name === 'flatMap'
    const result = mapped ? freshNode(solver) : call.result
    callBack(solver, platform, { ...call, result }, [elements, 0, elements], name)
    if (mapped) {
      const made = objectHere(solver, 'mapped', true)
      flow(solver, result, fieldNode(solver, made, anyField))
      listen(solver, result, (value) => value.kind === 'ulid' && add(solver, call.result, value))
      add(solver, call.result, made)
    }
  }
  if (keepingMethods.has(name) || name === 'entries') {
    add(solver, call.result, list)
    flow(solver, elements, call.result)
  }
}

/** `helper.call(self, services)`, `helper.apply(self, [services])`, `helper.bind(null, services)`. */
function borrow(solver: Solver, call: Call, of: Extract<Value, { kind: 'function' }>, name: string): void {
  flow(solver, call.args[0] ?? 0, of.self)
  if (name === 'call') enter(solver, { ...call, receiver: 0 }, of, 1)
  else if (name === 'apply') {
    const spread = freshNode(solver)
    listen(solver, call.args[1] ?? 0, (value) => {
      if (value.kind === 'object') watchFields(value, (_name, node) => flow(solver, node, spread))
      if (value.kind === 'unknown') add(solver, spread, intern(solver, { kind: 'global', path: 'data' }))
    })
    enter(solver, { ...call, receiver: 0, args: [spread], flags: callFlags.spread }, of)
  } else {
    add(solver, call.result, of)
    call.args.slice(1).forEach((argument) => {
      for (const parameter of of.parameters) flow(solver, argument, parameter)
    })
    if (call.args.length > 1) {
      // Bound arguments move the later ones along, so each may arrive at any parameter.
      for (const [index, parameter] of of.parameters.entries()) {
        for (const later of of.parameters.slice(index + 1)) flow(solver, parameter, later)
      }
    }
  }
}
