import type { RuleId } from '../rules/index.ts'
import { allocations, op, operands, type TypeFacts } from './facts.ts'

/** What a node may hold. Values are shared objects: the same function, object or path is the same value everywhere. */
export type Value =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'function'
      readonly result: number
      readonly self: number
      readonly parameters: readonly number[]
      readonly rest: number
    }
  | ObjectValue
  | ClassValue
  | { readonly kind: 'capability'; readonly path: string }
  | { readonly kind: 'global'; readonly path: string }
  | { readonly kind: 'record' | 'ulid' | 'hashid' }
  | { readonly kind: 'typed'; readonly facts: TypeFacts }
  | { readonly kind: 'namespace'; readonly exports: Exports }
  | { readonly kind: 'method'; readonly of: Value; readonly name: string }

export type ObjectValue = {
  readonly kind: 'object'
  readonly array: boolean
  readonly lasting: boolean
  readonly fields: Map<string, number>
  /** What follows every field, those that are still to come included. */
  readonly watchers: ((name: string, node: number) => void)[]
  tainted: boolean
}
export type ClassValue = {
  readonly kind: 'class'
  readonly instance: ObjectValue
  readonly statics: ObjectValue
  readonly parent: number
  readonly constructor_: Value | undefined
  readonly self: number
}
export type Exports = (name: string) => readonly number[]

export type Place = { readonly file: string; readonly at: number }
export type Problem = { readonly rule: RuleId; readonly place: Place; readonly message: string; readonly fix: string }
export type Use = { readonly operation: string; readonly place: Place }

/** One reaction to a value arriving at a node. */
export type Listener = (value: Value) => void

export type Solver = {
  /** A node's values; most have one or none, so one stands by itself. */
  readonly values: (Value | Set<Value> | undefined)[]
  /** The first instruction that waits for a node (0: none), and after each instruction the next one. */
  readonly waiting: number[]
  readonly following: number[]
  /** What an instruction does with a value that arrives at its node. */
  react: (instruction: number, value: Value) => void
  readonly listeners: (Listener[] | undefined)[]
  readonly queue: { readonly nodes: number[]; readonly values: Value[] }
  readonly copied: Set<number>
  readonly interned: Map<string, Value>
  readonly problems: Map<string, Problem>
  readonly uses: Use[]
  readonly notified: Set<string>
  /** What was given to `defineModule`. */
  readonly modules: Set<ObjectValue>
  /** Nodes that leave the module, until one holds something that matters: most never do. */
  readonly leaving: {
    readonly node: number
    readonly matters: (value: Value) => boolean
    readonly listener: Listener
  }[]
  /** Called when nothing moves any more, for what may only be told then. */
  readonly atRest: (() => void)[]
}

export const unknown: Value = { kind: 'unknown' }
export const anyField = '*'

export function createSolver(): Solver {
  return {
    values: [undefined],
    waiting: [0],
    following: [0],
    react: () => undefined,
    listeners: [undefined],
    queue: { nodes: [], values: [] },
    copied: new Set(),
    interned: new Map(),
    problems: new Map(),
    uses: [],
    notified: new Set(),
    modules: new Set(),
    leaving: [],
    atRest: [],
  }
}

export function freshNode(solver: Solver): number {
  solver.values.push(undefined)
  solver.waiting.push(0)
  return solver.listeners.push(undefined) - 1
}

/** What a node holds now. */
export function held(solver: Solver, node: number): readonly Value[] {
  const known = solver.values[node]
  if (known === undefined) return []
  return known instanceof Set ? [...known] : [known]
}

export function intern(
  solver: Solver,
  value: Extract<Value, { kind: 'capability' | 'global' | 'record' | 'ulid' | 'hashid' }>,
): Value {
  const key = 'path' in value ? `${value.kind} ${value.path}` : value.kind
  const known = solver.interned.get(key)
  if (known) return known
  solver.interned.set(key, value)
  return value
}

export function capability(solver: Solver, path: string): Value {
  return intern(solver, { kind: 'capability', path })
}

export function add(solver: Solver, node: number, value: Value): void {
  if (node === 0) return
  const known = solver.values[node]
  if (known === undefined) solver.values[node] = value
  else if (known === value) return
  else if (known instanceof Set) {
    if (known.has(value)) return
    known.add(value)
  } else solver.values[node] = new Set([known, value])
  if (solver.waiting[node] === 0 && !solver.listeners[node]) return
  solver.queue.nodes.push(node)
  solver.queue.values.push(value)
}

/** Calls back for every value the node holds now or ever will. */
export function listen(solver: Solver, node: number, listener: Listener): void {
  if (node === 0) return
  const known = solver.listeners[node]
  if (known) known.push(listener)
  else solver.listeners[node] = [listener]
  if (solver.values[node] !== undefined) for (const value of held(solver, node)) listener(value)
}

const nodeRange = 2 ** 26

export function flow(solver: Solver, from: number, to: number): void {
  if (from === 0 || to === 0 || from === to) return
  const key = from * nodeRange + to
  if (solver.copied.has(key)) return
  solver.copied.add(key)
  listen(solver, from, (value) => add(solver, to, value))
}

export function solve(solver: Solver): void {
  do settle(solver)
  while (wakeLeaving(solver))
}

/** Lets those begin to listen whose node has come to hold something; true when that may have moved anything. */
function wakeLeaving(solver: Solver): boolean {
  let woken = false
  for (const entry of solver.leaving.splice(0)) {
    if (solver.values[entry.node] !== undefined && held(solver, entry.node).some(entry.matters)) {
      listen(solver, entry.node, entry.listener)
      woken = true
    } else solver.leaving.push(entry)
  }
  return woken
}

function settle(solver: Solver): void {
  const { nodes, values } = solver.queue
  while (nodes.length > 0) {
    const node = nodes.pop() ?? 0
    const value = values.pop()
    if (value === undefined) continue
    for (let waiting = solver.waiting[node] ?? 0; waiting !== 0; waiting = solver.following[waiting] ?? 0)
      solver.react(waiting, value)
    const listeners = solver.listeners[node]
    if (!listeners) continue
    // Listeners that join while others run have been told by `listen` itself.
    const count = listeners.length
    for (let index = 0; index < count; index++) listeners[index]?.(value)
  }
}

export function newObject(array: boolean, lasting = false): ObjectValue {
  return { kind: 'object', array, lasting, fields: new Map(), watchers: [], tainted: false }
}

/** The node of one field; `anyField` for what is written or read under a name made at run time. */
export function fieldNode(solver: Solver, object: ObjectValue, name: string): number {
  const known = object.fields.get(name)
  if (known !== undefined) return known
  const node = freshNode(solver)
  object.fields.set(name, node)
  for (const watcher of object.watchers) watcher(name, node)
  return node
}

export function watchFields(object: ObjectValue, watcher: (name: string, node: number) => void): void {
  object.watchers.push(watcher)
  for (const [name, node] of [...object.fields]) watcher(name, node)
}

export function report(solver: Solver, problem: Problem): void {
  const key = `${problem.rule} ${problem.place.file} ${problem.place.at}`
  if (!solver.problems.has(key)) solver.problems.set(key, problem)
}

/** Where the instruction after the one at `start` begins; `start` is the place of its opcode. */
export function nextInstruction(code: Int32Array, start: number): number {
  const kind = code[start] ?? 0
  const fixed = operands[kind] ?? 0
  const variable = kind === op.call || kind === op.tag ? (code[start + fixed] ?? 0) : 0
  return start + 1 + fixed + variable
}

export function allocationOf(index: number): (typeof allocations)[number] {
  return allocations[index] ?? 'object'
}
