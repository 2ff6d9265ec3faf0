import { contextParts, dataFields, type Platform } from './context.ts'
import { shown } from './loads.ts'
import {
  add,
  anyField,
  capability,
  fieldNode,
  intern,
  type ObjectValue,
  type Place,
  report,
  type Solver,
  unknown,
  type Value,
  watchFields,
} from './solver.ts'

/**
 * Where a value goes when it leaves the module's own code.
 * `unknown` — code that may do anything with it; `library` — the language's own functions, which plant nothing;
 * `host` — an answer or an argument of the platform; `handler` — a declaration whose functions the platform will call;
 * `operation` — an argument of a service operation.
 */
export type Exit = {
  readonly to: 'unknown' | 'library' | 'host' | 'handler' | 'operation'
  readonly place: Place
  readonly why: string
  readonly field?: string
}

const seen = new WeakMap<Solver, WeakMap<object, Set<string>>>()

export function escapeNode(solver: Solver, platform: Platform, node: number, exit: Exit): void {
  if (node === 0) return
  const matters = exit.to === 'handler' ? anyValue : canMatter
  solver.leaving.push({ node, matters, listener: (value) => escapeValue(solver, platform, value, exit) })
}

const anyValue = () => true
const leavingKinds = new Set<Value['kind']>(['capability', 'hashid', 'function', 'object', 'class', 'namespace'])

function canMatter(value: Value): boolean {
  return leavingKinds.has(value.kind)
}

export function escapeValue(solver: Solver, platform: Platform, value: Value, exit: Exit): void {
  switch (value.kind) {
    case 'capability':
      escapeCapability(solver, platform, value.path, exit)
      return
    case 'hashid':
      if (exit.to === 'operation' && exit.field === 'id') {
        const message = 'A studentHashid is no student id.'
        report(solver, {
          rule: 'student-hashid-misuse',
          place: exit.place,
          message,
          fix: 'Call `services.education.students.byHashid(studentHashid)`.',
        })
      }
      return
    case 'unknown':
      if (exit.to === 'handler') reportHandler(solver, exit)
      return
    case 'function':
    case 'object':
    case 'class':
    case 'namespace':
      if (firstTime(solver, value, exit)) escapeStructure(solver, platform, value, exit)
      return
    default:
      return
  }
}

function escapeStructure(solver: Solver, platform: Platform, value: Value, exit: Exit): void {
  if (value.kind === 'function') {
    const handler = exit.to === 'handler'
    value.parameters.forEach((parameter, index) => {
      add(solver, parameter, handler && index === 0 ? capability(solver, 'ctx') : unknown)
    })
    if (value.rest !== 0) add(solver, value.rest, unknown)
    if (handler && value.parameters.length === 0 && value.rest !== 0) {
      const message = 'A handler that takes its context through a rest parameter cannot be followed.'
      report(solver, {
        rule: 'scope-untraceable',
        place: exit.place,
        message,
        fix: 'Take the context as the first parameter.',
      })
    }
    escapeNode(solver, platform, value.result, {
      ...exit,
      to: handler ? 'host' : exit.to,
      why: handler ? 'a handler returns it' : exit.why,
    })
  } else if (value.kind === 'object') {
    if (exit.to === 'unknown') taint(solver, value)
    watchFields(value, (name, node) => {
      if (exit.to === 'handler' && dataFields.has(name)) escapeNode(solver, platform, node, { ...exit, to: 'host' })
      else escapeNode(solver, platform, node, { ...exit, field: name })
    })
  } else if (value.kind === 'class') {
    if (exit.to === 'handler') escapeWidget(solver, platform, value.instance, exit)
    else escapeValue(solver, platform, value.instance, exit)
    escapeValue(solver, platform, value.statics, exit.to === 'handler' ? { ...exit, to: 'host' } : exit)
  } else if (value.kind === 'namespace') {
    for (const node of value.exports(anyField)) escapeNode(solver, platform, node, exit)
  }
}

/** Of a widget the platform calls what renders and the actions; its other methods are its own. */
function escapeWidget(solver: Solver, platform: Platform, instance: ObjectValue, exit: Exit): void {
  watchFields(instance, (name, node) => {
    const called = name === 'render' || name === 'actions' || name === anyField
    escapeNode(solver, platform, node, { ...exit, to: called ? 'handler' : 'host', field: name })
  })
}

/** Code that may do anything may also have put anything into the object. */
export function taint(solver: Solver, object: ObjectValue): void {
  if (object.tainted) return
  object.tainted = true
  watchFields(object, (_name, node) => add(solver, node, unknown))
  add(solver, fieldNode(solver, object, anyField), unknown)
}

function escapeCapability(solver: Solver, platform: Platform, path: string, exit: Exit): void {
  if (path.startsWith('maybe.') || path === 'ctx.publish') return
  if (path.startsWith('sdk')) {
    if (path === 'sdk.sql' && exit.to !== 'handler') {
      const message = '`sql` given away can be called with text of somebody’s making.'
      report(solver, { rule: 'tag-called', place: exit.place, message, fix: 'Use `sql` as a tag only: sql`…`.' })
    }
    return
  }
  if (path === 'ctx.fetch') {
    if (platform.egress.size > 0) return
    const message = 'Code that is given `fetch` connects to hosts the manifest does not declare.'
    report(solver, {
      rule: 'egress-undeclared',
      place: exit.place,
      message,
      fix: 'Declare the hosts under `egress` in manifest.json.',
    })
    return
  }
  const what = shown(path) === 'the context' ? 'The context' : `\`${shown(path)}\``
  const message = `${what} leaves the module's own code here: ${exit.why}. What happens to it there cannot be followed.`
  const fix = 'Call the service here, and pass on what it answers.'
  report(solver, { rule: 'context-escape', place: exit.place, message, fix })
}

function reportHandler(solver: Solver, exit: Exit): void {
  if (exit.field === undefined) return
  const message = `What stands under \`${exit.field}\` comes from code the scan cannot follow, and would be given the context.`
  report(solver, {
    rule: 'scope-untraceable',
    place: exit.place,
    message,
    fix: 'Write the handler as a function of this module.',
  })
}

function firstTime(solver: Solver, value: Value, exit: Exit): boolean {
  const all = seen.get(solver) ?? new WeakMap<object, Set<string>>()
  seen.set(solver, all)
  const known = all.get(value) ?? new Set<string>()
  all.set(value, known)
  const key = exit.to === 'operation' ? `${exit.to} ${exit.place.file} ${exit.place.at}` : exit.to
  if (known.has(key)) return false
  known.add(key)
  return true
}

/** The parts of the context as fields, for `{...context}` and `const {db, ...rest} = context`. */
export function contextFields(solver: Solver): [string, Value][] {
  return [...contextParts].map((name) => {
    if (name === 'viewer') return [name, intern(solver, { kind: 'record' })]
    if (name === 'studentHashid') return [name, intern(solver, { kind: 'hashid' })]
    return [name, capability(solver, `ctx.${name}`)]
  })
}
