import type { TypeFacts } from './facts.ts'
import { typedValue } from './loads.ts'
import {
  counted,
  formFrom,
  nameOwn,
  nodeNames,
  ownerOf,
  partsOfClass,
  type PlaceNames,
  shapeFrom,
  splitCounted,
  splitNode,
} from './names.ts'
import {
  add,
  capability,
  fieldNode,
  freshNode,
  intern,
  type Link,
  shareNode,
  type Solver,
  watchFields,
} from './solver.ts'
import {
  type Away,
  boundOf,
  type ClassValue,
  type FunctionValue,
  methodOf,
  type ObjectValue,
  objectAt,
  unknown,
  type Value,
} from './values.ts'

/** What one file tells others, by the number of the file: each text a value, or the wish to hear of values. */
export type Outbox = Map<number, string[]>

/**
 * The border of a file. A value another file made is here a value of the same kind whose nodes stand for the nodes there:
 * whatever either file puts into such a node, the other gets. So each file is solved by itself, and what it does depends on
 * its own code and on what it is told, on nothing else.
 */
export type Crossing = {
  readonly file: number
  readonly solver: Solver
  readonly place: PlaceNames
  /** The node that holds what this file exports under a name. */
  readonly exported: (name: string) => number
  readonly names: Map<Value, string>
  readonly values: Map<string, Value>
  readonly standIns: Map<string, number>
  /** By the other file and the node's name. */
  readonly links: Map<string, Link>
  readonly watched: Set<string>
  outbox: Outbox
}

export function createCrossing(
  file: number,
  solver: Solver,
  place: PlaceNames,
  exported: (name: string) => number,
): Crossing {
  const crossing: Crossing = {
    file,
    solver,
    place,
    exported,
    names: new Map(),
    values: new Map(),
    standIns: new Map(),
    links: new Map(),
    watched: new Set(),
    outbox: new Map(),
  }
  solver.send = (link, value) => tell(crossing, link.file, `v${counted(link.node)}${nameOf(crossing, value)}`)
  solver.hear = (link) => tell(crossing, link.file, `h${link.node}`)
  return crossing
}

function tell({ outbox }: Crossing, file: number, message: string): void {
  const known = outbox.get(file)
  if (known) known.push(message)
  else outbox.set(file, [message])
}

/** Does what another file asks, or takes the value it sends. */
export function hearFrom(crossing: Crossing, from: number, message: string): void {
  const { solver, links } = crossing
  const text = message.slice(1)
  switch (message[0]) {
    case 'v': {
      const [node, value] = splitCounted(text)
      const arrived = valueNamed(crossing, value)
      links.get(`${from} ${node}`)?.there.add(arrived)
      add(solver, nodeNamed(crossing, node), arrived)
      return
    }
    case 'h': {
      const link: Link = { file: from, node: text, there: new Set(), heard: true }
      links.set(`${from} ${text}`, link)
      shareNode(solver, nodeNamed(crossing, text), link)
      return
    }
    case 'w': {
      const object = crossing.values.get(text)
      if (object?.kind !== 'object' || crossing.watched.has(`${from} ${text}`)) return
      crossing.watched.add(`${from} ${text}`)
      watchFields(object, (name) => tell(crossing, from, `f${counted(text)}${name}`))
      return
    }
    case 'f': {
      const [of, name] = splitCounted(text)
      const object = crossing.values.get(of)
      if (object?.kind === 'object') fieldNode(solver, object, name)
    }
  }
}

/** A node by its name: one of this file, or the one that stands here for it. */
export function nodeNamed(crossing: Crossing, name: string): number {
  const owner = ownerOf(name)
  if (owner === crossing.file) return ownNode(crossing, name)
  const known = crossing.standIns.get(name)
  if (known !== undefined || owner === undefined) return known ?? 0
  const { solver } = crossing
  const node = freshNode(solver)
  const link: Link = { file: owner, node: name, there: new Set(), heard: false }
  crossing.standIns.set(name, node)
  crossing.links.set(`${owner} ${name}`, link)
  solver.standIns.set(node, link)
  shareNode(solver, node, link)
  return node
}

function ownNode(crossing: Crossing, name: string): number {
  const [of, part] = splitNode(name)
  if (of.startsWith('n')) return crossing.exported(part)
  const value = crossing.values.get(of)
  if (value?.kind === 'object') return fieldNode(crossing.solver, value, part.slice(1))
  if (value?.kind === 'class') return part === 'p' ? value.parent : value.self
  if (value?.kind !== 'function') return 0
  if (part === 'r') return value.result
  if (part === 's') return value.self
  return part === 'a' ? value.rest : (value.parameters[Number(part)] ?? 0)
}

function nameOf(crossing: Crossing, value: Value): string {
  const known = crossing.names.get(value)
  if (known !== undefined) return known
  const name = nameOwn(crossing.file, crossing.place, value, (inner) => nameOf(crossing, inner))
  register(crossing, name, value)
  if (value.kind === 'class')
    for (const part of [value.instance, value.statics, value.constructor_]) if (part) nameOf(crossing, part)
  return name
}

function register(crossing: Crossing, name: string, value: Value): Value {
  crossing.names.set(value, name)
  crossing.values.set(name, value)
  return value
}

/** A value by its name: the one this file made, or the one that is here in its place. */
export function valueNamed(crossing: Crossing, name: string): Value {
  return crossing.values.get(name) ?? register(crossing, name, makeValue(crossing, name))
}

function makeValue(crossing: Crossing, name: string): Value {
  const { solver } = crossing
  const text = name.slice(1)
  switch (name[0]) {
    case 'r':
      return intern(solver, { kind: 'record' })
    case 'l':
      return intern(solver, { kind: 'ulid' })
    case 'h':
      return intern(solver, { kind: 'hashid' })
    case 'g':
      return intern(solver, { kind: 'global', path: text })
    case 'c':
      return capability(solver, text)
    case 't':
      return typedValue(solver, JSON.parse(text) as TypeFacts)
    case 'm': {
      const [method, of] = splitCounted(text)
      return methodOf(valueNamed(crossing, of), method)
    }
    case 'n':
      return {
        kind: 'namespace',
        exports: (exported) => [nodeNamed(crossing, nodeNames.exported(Number(text), exported))],
      }
    case 'o':
      return awayObject(crossing, name)
    case 'b': {
      const of = valueNamed(crossing, text.slice(text.indexOf(':') + 1))
      return of.kind === 'function' ? boundOf(of, Number.parseInt(text, 10)) : unknown
    }
    case 'f':
      return awayFunction(crossing, name)
    case 'k':
      return awayClass(crossing, name)
    default:
      return unknown
  }
}

function awayObject(crossing: Crossing, name: string): ObjectValue {
  const flags = name.slice(name.lastIndexOf('/') + 1)
  let watching = false
  const away: Away = {
    field: (field) => nodeNamed(crossing, nodeNames.field(name, field)),
    watch() {
      if (!watching) tell(crossing, ownerOf(name) ?? 0, `w${name}`)
      watching = true
    },
  }
  return objectAt(-1, '', formFrom(flags), flags.includes('l'), away)
}

function awayFunction(crossing: Crossing, name: string): FunctionValue {
  const { parameters, rest } = shapeFrom(name.slice(name.lastIndexOf('/') + 1))
  const node = (named: string) => nodeNamed(crossing, named)
  return {
    kind: 'function',
    at: -1,
    parameters: Array.from({ length: parameters }, (_, index) => node(nodeNames.parameter(name, index))),
    rest: rest ? node(nodeNames.rest(name)) : 0,
    result: node(nodeNames.result(name)),
    self: node(nodeNames.self(name)),
    bound: undefined,
  }
}

function awayClass(crossing: Crossing, name: string): ClassValue {
  const { instance, statics, maker, parent } = partsOfClass(name)
  const object = (of: string) => {
    const value = valueNamed(crossing, of)
    return value.kind === 'object' ? value : awayObject(crossing, of)
  }
  return {
    kind: 'class',
    at: -1,
    instance: object(instance),
    statics: object(statics),
    parent: parent ? nodeNamed(crossing, nodeNames.parent(name)) : 0,
    constructor_: maker === undefined ? undefined : valueNamed(crossing, maker),
    self: nodeNamed(crossing, nodeNames.self(name)),
  }
}
