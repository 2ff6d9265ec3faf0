import type { RuleId } from '../rules/index.ts'
import { type FileEffort, spend } from './effort.ts'
import type { Claim, Escape, Exit } from './exits.ts'
import { allocations } from './facts.ts'
import { createPairSet, type PairSet } from './pair-set.ts'
import { type Form, objectAt, type ObjectValue, type Value } from './values.ts'

export type Place = { readonly file: string; readonly at: number }
export type Problem = { readonly rule: RuleId; readonly place: Place; readonly message: string; readonly fix: string }
export type Use = { readonly operation: string; readonly place: Place }

/** One reaction to a value arriving at a node. */
export type Listener = (value: Value) => void

/** The other end of a node that two files share: its file, its name there, and the values both ends are known to hold. */
export type Link = { readonly file: number; readonly node: string; readonly there: Set<Value>; heard: boolean }

export type Solver = {
  readonly effort: FileEffort
  /** A node's values; most have one or none, so one stands by itself. */
  readonly values: (Value | Set<Value> | undefined)[]
  /** The first of those who wait for a node (0: none), and after each of them the next one. */
  readonly first: number[]
  readonly next: number[]
  /** Who waits: its kind (of `waits`) in the lowest three bits, its number above them. */
  readonly who: number[]
  /** What an instruction does with a value that arrives at its node. */
  react: (instruction: number, value: Value) => void
  /** What becomes of a value at a node that leaves the module's own code. */
  leave: (exit: Exit, value: Value) => void
  /** A value for the other end of a link, and the wish to hear what that end holds. */
  send: (link: Link, value: Value) => void
  hear: (link: Link) => void
  readonly links: Link[]
  /** The links of nodes that stand here for those of another file. */
  readonly standIns: Map<number, Link>
  /** The place in the code that is at work, and the objects each place has made. */
  at: number
  readonly made: Map<string, ObjectValue>
  readonly listeners: Listener[]
  /** The place in the code that each listener listens for. */
  readonly listenersAt: number[]
  readonly exits: Exit[]
  readonly queue: { readonly nodes: number[]; readonly values: Value[] }
  readonly copied: PairSet
  readonly interned: Map<string, Value>
  readonly capabilities: Map<string, Value>
  readonly problems: Map<string, Problem>
  readonly uses: Use[]
  readonly notified: Set<string>
  /** What was given to `defineModule`. */
  readonly modules: Set<ObjectValue>
  /** What has left, by the kind of exit or the operation, and that of which it is to be said. */
  readonly escapes: Map<string, Map<Value, Escape>>
  readonly claims: Claim[]
  /** Called when nothing moves any more, for what may only be told then. */
  readonly atRest: (() => void)[]
}

const waits = { instruction: 0, edge: 1, exit: 2, listener: 3, link: 4 } as const

/** Steps of what takes memory that is held until all is done: one that begins to wait, and a further value of a node. */
const waitingCost = 8
const keepingCost = 4

export function createSolver(effort: FileEffort): Solver {
  return {
    effort,
    values: [undefined],
    first: [0],
    next: [0],
    who: [0],
    react: () => undefined,
    leave: () => undefined,
    send: () => undefined,
    hear: () => undefined,
    links: [],
    standIns: new Map(),
    at: 0,
    made: new Map(),
    listeners: [],
    listenersAt: [],
    exits: [],
    queue: { nodes: [], values: [] },
    copied: createPairSet(),
    interned: new Map(),
    capabilities: new Map(),
    problems: new Map(),
    uses: [],
    notified: new Set(),
    modules: new Set(),
    escapes: new Map(),
    claims: [],
    atRest: [],
  }
}

export function freshNode(solver: Solver): number {
  solver.values.push(undefined)
  return solver.first.push(0) - 1
}

/** What a node holds now. */
export function held(solver: Solver, node: number): readonly Value[] {
  const known = solver.values[node]
  if (known === undefined) return []
  return known instanceof Set ? [...known] : [known]
}

export function intern(
  solver: Solver,
  value: Extract<Value, { kind: 'global' | 'record' | 'ulid' | 'hashid' }>,
): Value {
  const key = 'path' in value ? `${value.kind} ${value.path}` : value.kind
  const known = solver.interned.get(key)
  if (known) return known
  solver.interned.set(key, value)
  return value
}

export function capability(solver: Solver, path: string): Value {
  const known = solver.capabilities.get(path)
  if (known) return known
  const value: Value = { kind: 'capability', path }
  solver.capabilities.set(path, value)
  return value
}

export function add(solver: Solver, node: number, value: Value): void {
  if (node === 0) return
  spend(solver.effort, 1)
  const known = solver.values[node]
  if (known === undefined) solver.values[node] = value
  else if (known === value) return
  else if (known instanceof Set) {
    if (known.has(value)) return
    spend(solver.effort, keepingCost)
    known.add(value)
  } else solver.values[node] = new Set([known, value])
  if (solver.first[node] === 0) return
  solver.queue.nodes.push(node)
  solver.queue.values.push(value)
}

function wait(solver: Solver, node: number, kind: number, index: number): void {
  spend(solver.effort, waitingCost)
  solver.who.push(index * 8 + kind)
  solver.first[node] = solver.next.push(solver.first[node] ?? 0) - 1
  if (kind === waits.link || solver.standIns.size === 0) return
  const link = solver.standIns.get(node)
  if (!link || link.heard) return
  link.heard = true
  solver.hear(link)
}

/** A node that two files share: what it holds, now or ever, goes to the other end. */
export function shareNode(solver: Solver, node: number, link: Link): void {
  if (node === 0) return
  wait(solver, node, waits.link, solver.links.push(link) - 1)
  if (solver.values[node] !== undefined) for (const value of held(solver, node)) pass(solver, link, value)
}

function pass(solver: Solver, link: Link, value: Value): void {
  if (link.there.has(value)) return
  link.there.add(value)
  solver.send(link, value)
}

/** Lets an instruction wait for a node that holds nothing yet. */
export function awaitValues(solver: Solver, node: number, instruction: number): void {
  if (node !== 0) wait(solver, node, waits.instruction, instruction)
}

/** Calls back for every value the node holds now or ever will; it may be called twice for one value. */
export function listen(solver: Solver, node: number, listener: Listener): void {
  if (node === 0) return
  solver.listenersAt.push(solver.at)
  wait(solver, node, waits.listener, solver.listeners.push(listener) - 1)
  if (solver.values[node] !== undefined) for (const value of held(solver, node)) listener(value)
}

/** Whatever the node holds, now or ever, leaves the module's own code. */
export function leaveNode(solver: Solver, node: number, exit: Exit): void {
  if (node === 0) return
  wait(solver, node, waits.exit, solver.exits.push(exit) - 1)
  if (solver.values[node] !== undefined) for (const value of held(solver, node)) solver.leave(exit, value)
}

export function flow(solver: Solver, from: number, to: number): void {
  spend(solver.effort, 1)
  if (from === 0 || to === 0 || from === to || !solver.copied.add(from, to)) return
  wait(solver, from, waits.edge, to)
  const known = solver.values[from]
  if (known instanceof Set) for (const value of [...known]) add(solver, to, value)
  else if (known !== undefined) add(solver, to, known)
}

/** Lets values flow until nothing moves any more. What comes of it does not depend on the order in which they do. */
export function solve(solver: Solver): void {
  const { first, next, who } = solver
  const { nodes, values } = solver.queue
  while (nodes.length > 0) {
    const node = nodes.pop() ?? 0
    const value = values.pop()
    if (value === undefined) continue
    // Those that begin to wait meanwhile are put in front, and told of the value by whoever lets them wait.
    for (let waiting = first[node] ?? 0; waiting !== 0; waiting = next[waiting] ?? 0) {
      const entry = who[waiting] ?? 0
      tell(solver, entry & 7, entry >>> 3, value)
    }
  }
}

function tell(solver: Solver, kind: number, index: number, value: Value): void {
  spend(solver.effort, 1)
  if (kind === waits.edge) add(solver, index, value)
  else if (kind === waits.instruction) solver.react(index, value)
  else if (kind === waits.exit) {
    const exit = solver.exits[index]
    if (exit) solver.leave(exit, value)
  } else if (kind === waits.link) {
    const link = solver.links[index]
    if (link) pass(solver, link, value)
  } else {
    solver.at = solver.listenersAt[index] ?? 0
    solver.listeners[index]?.(value)
  }
}

/**
 * The object that the instruction at work makes in this part, whatever it makes it of: a list that is mapped into itself
 * would otherwise never come to an end.
 */
export function objectHere(solver: Solver, part: string, form: Form, lasting = false): ObjectValue {
  const key = `${solver.at} ${part}`
  const known = solver.made.get(key)
  if (known) return known
  const made = objectAt(solver.at, part, form, lasting)
  solver.made.set(key, made)
  return made
}

/** The node of one field; `anyField` for what is written or read under a name made at run time. */
export function fieldNode(solver: Solver, object: ObjectValue, name: string): number {
  const known = object.fields.get(name)
  if (known !== undefined) return known
  const node = object.away ? object.away.field(name) : freshNode(solver)
  object.fields.set(name, node)
  for (const watcher of object.watchers) watcher(name, node)
  return node
}

export function watchFields(object: ObjectValue, watcher: (name: string, node: number) => void): void {
  object.watchers.push(watcher)
  object.away?.watch()
  for (const [name, node] of [...object.fields]) watcher(name, node)
}

/** One problem for each rule and place; of several messages the same one is kept in whatever order they come. */
export function report(solver: Solver, problem: Problem): void {
  const key = `${problem.rule} ${problem.place.file} ${problem.place.at}`
  const known = solver.problems.get(key)
  if (!known || textOf(problem) < textOf(known)) solver.problems.set(key, problem)
}

function textOf({ message, fix }: Problem): string {
  return `${message}\n${fix}`
}

export function allocationOf(index: number): (typeof allocations)[number] {
  return allocations[index] ?? 'object'
}
