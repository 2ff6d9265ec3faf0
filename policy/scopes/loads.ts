import {
  contextParts,
  countFields,
  databaseMethods,
  isIdentifierField,
  otherIdentifiers,
  possibleServices,
  type Platform,
  services,
} from './context.ts'
import { isImported, type TypeFacts } from './facts.ts'
import { commonMethods, listMethods, mapMethods } from './methods.ts'
import { add, capability, fieldNode, flow, intern, type Place, report, type Solver, watchFields } from './solver.ts'
import { anyField, methodOf, type ObjectValue, unknown, type Value } from './values.ts'

export const follow =
  'Write the name out (`services.education.students.list`), so that the scan can tell which scope it needs.'
/** What may be a promise of somebody else's making, with whatever `then` he gave it. */
const strange: ReadonlySet<Value['kind']> = new Set(['unknown', 'global', 'method'])

/** Reading `name` of a value (undefined: a name made at run time) into the node `to`. */
export function load(
  solver: Solver,
  platform: Platform,
  value: Value,
  name: string | undefined,
  to: number,
  place: Place,
): void {
  if (name !== undefined && commonMethods.has(name) && !strange.has(value.kind)) {
    add(solver, to, methodOf(value, name))
    // An object may have a method of that name itself.
    if (value.kind !== 'object') return
  }
  switch (value.kind) {
    case 'unknown':
      add(solver, to, name === 'services' ? capability(solver, possibleServices) : unknown)
      if (name === 'services') add(solver, to, unknown)
      return
    case 'capability':
      loadCapability(solver, platform, value.path, name, to, place)
      return
    case 'object':
      loadField(solver, value, name, to)
      return
    case 'class':
      if (name === 'prototype') add(solver, to, value.instance)
      else loadField(solver, value.statics, name, to)
      return
    case 'namespace':
      for (const node of value.exports(name ?? anyField)) flow(solver, node, to)
      return
    case 'function':
      add(solver, to, name === 'call' || name === 'apply' || name === 'bind' ? methodOf(value, name) : unknown)
      return
    case 'global':
      add(solver, to, ofGlobal(solver, value.path, name))
      return
    case 'record':
      loadRecord(solver, name, to, value)
      return
    case 'ulid':
    case 'hashid':
      if (name === 'length') return
      // A list of identifiers and an identifier are one value here, so an element is the value itself.
      add(solver, to, name === undefined || /^\d+$/.test(name) ? value : methodOf(value, name))
      return
    case 'typed':
      loadTyped(solver, value.facts, name, to)
      return
    case 'method':
      add(solver, to, unknown)
  }
}

/** The language's own names are short; what goes on longer (`node = node.next`) is data nobody can follow. */
const longestGlobal = 6

function ofGlobal(solver: Solver, path: string, name: string | undefined): Value {
  if (name === undefined || path.split('.').length >= longestGlobal) return unknown
  return intern(solver, { kind: 'global', path: `${path}.${name}` })
}

const methodsOf = { object: new Set<string>(), list: listMethods, map: mapMethods }

function loadField(solver: Solver, object: ObjectValue, name: string | undefined, to: number): void {
  if (object.form === 'list' && name === 'length') return
  if (object.tainted) add(solver, to, unknown)
  if (name === undefined) {
    watchFields(object, (_name, node) => flow(solver, node, to))
    return
  }
  // What its prototype holds it holds itself.
  if (name === '__proto__') add(solver, to, object)
  flow(solver, fieldNode(solver, object, name), to)
  if (methodsOf[object.form].has(name)) add(solver, to, methodOf(object, name))
  else flow(solver, fieldNode(solver, object, anyField), to)
}

function loadRecord(solver: Solver, name: string | undefined, to: number, value: Value): void {
  if (name === undefined || /^\d+$/.test(name)) add(solver, to, value)
  else if (isIdentifierField(name)) {
    if (!otherIdentifiers.has(name)) add(solver, to, intern(solver, { kind: 'ulid' }))
  } else if (!countFields.has(name)) {
    add(solver, to, value)
    add(solver, to, methodOf(value, name))
  }
}

/** Fields of a declared type; its array methods hand on the same type. */
function loadTyped(solver: Solver, facts: TypeFacts, name: string | undefined, to: number): void {
  // Types of other files have been put in their place before any value of them is made.
  if (typeof facts !== 'string' && isImported(facts)) return
  if (typeof facts === 'string') {
    load(solver, noPlatform, intern(solver, { kind: facts }), name, to, nowhere)
    return
  }
  const typed = typedValue(solver, facts)
  if (name === undefined || /^\d+$/.test(name)) add(solver, to, typed)
  else if (Object.hasOwn(facts, name)) {
    const field = facts[name]
    if (field !== undefined) add(solver, to, typedValue(solver, field))
  } else if (listMethods.has(name)) add(solver, to, methodOf(typed, name))
}

const typedValues = new WeakMap<object, Value>()

export function typedValue(solver: Solver, facts: TypeFacts): Value {
  if (typeof facts === 'string') return intern(solver, { kind: facts })
  const known = typedValues.get(facts)
  if (known) return known
  const value: Value = { kind: 'typed', facts }
  typedValues.set(facts, value)
  return value
}

const nowhere: Place = { file: '', at: 0 }
const noPlatform: Platform = {
  operations: new Map(),
  prefixes: new Set(),
  slug: '',
  notificationKeys: new Set(),
  egress: new Set(),
  widgets: new Set(),
}

function loadCapability(
  solver: Solver,
  platform: Platform,
  path: string,
  name: string | undefined,
  to: number,
  place: Place,
): void {
  const untraceable = (message: string) => report(solver, { rule: 'scope-untraceable', place, message, fix: follow })
  if (path === 'sdk') {
    if (name !== undefined) add(solver, to, capability(solver, `sdk.${name}`))
    return
  }
  if (path.startsWith('sdk.')) {
    add(solver, to, unknown)
    return
  }
  if (name === undefined) {
    if (!path.startsWith(possibleServices))
      untraceable(`A name made at run time on \`${shown(path)}\`: which part it takes cannot be told.`)
    return
  }
  if (path === 'ctx') {
    if (!contextParts.has(name)) add(solver, to, unknown)
    else if (name === 'viewer') add(solver, to, intern(solver, { kind: 'record' }))
    else if (name === 'studentHashid') add(solver, to, intern(solver, { kind: 'hashid' }))
    else add(solver, to, capability(solver, `ctx.${name}`))
    return
  }
  if (path === 'ctx.db') {
    if (databaseMethods.has(name)) add(solver, to, capability(solver, `ctx.db.${name}`))
    return
  }
  if (path.startsWith(services) || path.startsWith(possibleServices)) {
    loadOperation(solver, platform, path, name, to, place)
    return
  }
  report(solver, {
    rule: 'context-escape',
    place,
    message: `\`${shown(path)}.${name}\` cannot be followed.`,
    fix: `Call \`${shown(path)}(…)\` itself.`,
  })
}

function loadOperation(solver: Solver, platform: Platform, path: string, name: string, to: number, place: Place): void {
  const certain = path.startsWith(services)
  const root = certain ? services : possibleServices
  const parent = path.slice(root.length + 1)
  if (platform.operations.has(parent)) {
    const message = `\`${shown(path)}.${name}\` cannot be followed: call the operation itself.`
    if (certain) report(solver, { rule: 'scope-untraceable', place, message, fix: follow })
    return
  }
  const next = parent === '' ? name : `${parent}.${name}`
  if (platform.prefixes.has(next) || platform.operations.has(next))
    add(solver, to, capability(solver, `${root}.${next}`))
  else if (certain) {
    const message = `The partner service layer has no \`services.${next}\`.`
    report(solver, { rule: 'operation-unknown', place, message, fix: nearby(platform, parent) })
  }
}

/** What could be meant instead. */
export function nearby(platform: Platform, parent: string): string {
  const known = [...platform.operations.keys()]
    .filter((operation) => parent === '' || operation.startsWith(`${parent}.`))
    .slice(0, 8)
  return known.length === 0
    ? 'Use an operation of the service layer.'
    : `Known there: ${known.map((name) => `services.${name}`).join(', ')}.`
}

export function shown(path: string): string {
  return path.replace(/^(ctx|maybe)\./, '').replace(/^ctx$/, 'the context')
}
