import type { Platform } from './context.ts'
import { escapeNode } from './escapes.ts'
import type { ExitKind } from './exits.ts'
import { callFlags } from './facts.ts'
import { invokeCapability } from './invoke-capability.ts'
import { invokeGlobal } from './invoke-global.ts'
import { invokeMethod } from './invoke-method.ts'
import { add, fieldNode, flow, freshNode, listen, objectHere, type Place, report, type Solver } from './solver.ts'
import { anyField, type ClassValue, type FunctionValue, type ObjectValue, unknown, type Value } from './values.ts'

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

export function enter(solver: Solver, call: Call, target: FunctionValue): void {
  const { parameters, rest } = target
  const list = rest === 0 ? undefined : restList(solver, target)
  call.args.forEach((argument, index) => {
    const parameter = parameters[index]
    if (parameter !== undefined) flow(solver, argument, parameter)
    else if (list) flow(solver, argument, fieldNode(solver, list, anyField))
    // A spread list may fill every parameter that follows.
    if (call.flags & callFlags.spread) {
      for (const later of parameters.slice(index)) flow(solver, argument, later)
      if (list) flow(solver, argument, fieldNode(solver, list, anyField))
    }
  })
  if (call.receiver !== 0) flow(solver, call.receiver, receiverOf(solver, target))
  flow(solver, target.result, call.result)
}

const receivers = new WeakMap<Value, number>()
/** What may have a function of the module among its fields. */
const owners: ReadonlySet<Value['kind']> = new Set(['object', 'class', 'namespace', 'function'])

/** What a method is called on becomes its `this`: not the platform's part that may stand in the same variable. */
function receiverOf(solver: Solver, target: FunctionValue): number {
  const known = receivers.get(target)
  if (known !== undefined) return known
  const receiver = freshNode(solver)
  receivers.set(target, receiver)
  listen(solver, receiver, (value) => owners.has(value.kind) && add(solver, target.self, value))
  return receiver
}

const restLists = new WeakMap<Value, ObjectValue>()

function restList(solver: Solver, target: FunctionValue) {
  const known = restLists.get(target)
  if (known) return known
  const list = objectHere(solver, `rest${target.rest}`, 'list')
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
