import { contextParts, dataFields, type Platform } from './context.ts'
import { enterEscape, type Escape, type Exit, isReported, onward } from './exits.ts'
import { add, capability, fieldNode, intern, leaveNode, type Solver, watchFields } from './solver.ts'
import { anyField, type ObjectValue, unknown, type Value } from './values.ts'

/** Whatever the node holds leaves the module's own code by this exit. */
export const escapeNode = leaveNode

/**
 * What leaving does to a value: code out of sight may call functions with anything, and put anything into objects. What is
 * to be said of it waits until all that leaves is known (`exits.ts`).
 */
export function escapeValue(solver: Solver, platform: Platform, value: Value, exit: Exit): void {
  switch (value.kind) {
    case 'capability':
      if (isReported(platform, value.path, exit)) solver.claims.push({ value, exit })
      return
    case 'hashid':
      if (exit.to === 'operation') solver.claims.push({ value, exit })
      return
    case 'unknown':
      if (exit.to === 'handler') solver.claims.push({ value, exit })
      return
    case 'function':
    case 'object':
    case 'class':
    case 'namespace': {
      const { leaving, fresh } = enterEscape(solver, value, exit)
      if (fresh) escapeStructure(solver, platform, value, leaving)
      return
    }
    default:
      return
  }
}

function escapeStructure(solver: Solver, platform: Platform, value: Value, leaving: Escape): void {
  const handler = leaving.to === 'handler'
  if (value.kind === 'function') {
    value.parameters.forEach((parameter, index) => {
      add(solver, parameter, handler && index === 0 ? capability(solver, 'ctx') : unknown)
    })
    if (value.rest !== 0) add(solver, value.rest, unknown)
    if (handler && value.parameters.length === 0 && value.rest !== 0)
      solver.claims.push({ value, exit: onward(leaving, {}) })
    escapeNode(solver, value.result, onward(leaving, handler ? { to: 'host', why: 'a handler returns it' } : {}))
  } else if (value.kind === 'object') {
    if (leaving.to === 'unknown') taint(solver, value)
    watchFields(value, (name, node) =>
      escapeNode(solver, node, onward(leaving, handler && dataFields.has(name) ? { to: 'host' } : { field: name })),
    )
  } else if (value.kind === 'class') {
    if (handler) escapeWidget(solver, value.instance, leaving)
    else escapeValue(solver, platform, value.instance, onward(leaving, {}))
    escapeValue(solver, platform, value.statics, onward(leaving, handler ? { to: 'host' } : {}))
  } else if (value.kind === 'namespace') {
    for (const node of value.exports(anyField)) escapeNode(solver, node, onward(leaving, {}))
  }
}

/** Of a widget the platform calls what renders and the actions; its other methods are its own. */
function escapeWidget(solver: Solver, instance: ObjectValue, leaving: Escape): void {
  watchFields(instance, (name, node) => {
    const called = name === 'render' || name === 'actions' || name === anyField
    escapeNode(solver, node, onward(leaving, { to: called ? 'handler' : 'host', field: name }))
  })
}

/** Code that may do anything may also have put anything into the object. */
export function taint(solver: Solver, object: ObjectValue): void {
  if (object.tainted) return
  object.tainted = true
  watchFields(object, (_name, node) => add(solver, node, unknown))
  add(solver, fieldNode(solver, object, anyField), unknown)
}

/** The parts of the context as fields, for `{...context}` and `const {db, ...rest} = context`. */
export function contextFields(solver: Solver): [string, Value][] {
  return [...contextParts].map((name) => {
    if (name === 'viewer') return [name, intern(solver, { kind: 'record' })]
    if (name === 'studentHashid') return [name, intern(solver, { kind: 'hashid' })]
    return [name, capability(solver, `ctx.${name}`)]
  })
}
