import { type FileFacts, nextInstruction, op } from './facts.ts'

/** Where in an instruction nodes stand, counted from its opcode; calls and tags have more at their end. */
const nodeOperands: Readonly<Record<number, readonly number[]>> = {
  [op.copy]: [1, 2],
  [op.load]: [1, 3],
  [op.store]: [1, 3],
  [op.call]: [1, 2, 3],
  [op.tag]: [1, 2],
  [op.escape]: [1],
  [op.number]: [1],
  [op.text]: [1, 2],
  [op.allocate]: [1],
  [op.global]: [1],
  [op.spread]: [1, 2],
  [op.lasting]: [1],
  [op.typed]: [1],
  [op.protocol]: [1],
}
/** Which operand an instruction puts values into, where that is no copy. */
const filled: Readonly<Record<number, number>> = {
  [op.load]: 3,
  [op.call]: 3,
  [op.tag]: 2,
  [op.text]: 2,
  [op.allocate]: 1,
  [op.global]: 1,
  [op.typed]: 1,
}
const nobody = -1
const several = -2

/**
 * The same facts with fewer nodes: one that gets its values from a single copy always holds what the other holds, so it is
 * that other. A third of all nodes are such, most of them variables written once.
 */
export function simplify(facts: FileFacts): FileFacts {
  const kept = renumber(facts, representatives(facts))
  const node = (old: number) => kept.numbers[old] ?? 0
  return {
    ...facts,
    nodes: kept.count,
    code: rewrite(facts.code, node),
    functions: facts.functions.map(({ parameters, rest, result, self }) => ({
      parameters: parameters.map(node),
      rest: node(rest),
      result: node(result),
      self: node(self),
    })),
    classes: facts.classes.map(({ parent, constructor_, members, statics, self }) => ({
      parent: node(parent),
      constructor_,
      members: members.map(([name, held]) => [name, node(held)] as const),
      statics: statics.map(([name, held]) => [name, node(held)] as const),
      self: node(self),
    })),
    imports: facts.imports.map((entry) => ({ ...entry, node: node(entry.node) })),
    exports: facts.exports.map((entry) => ({ ...entry, node: node(entry.node) })),
  }
}

/** For each node the one it is a copy of, or `several` where more than one copy, or anything else, fills it. */
function representatives({ code, nodes, functions, classes, imports }: FileFacts): Int32Array {
  const from = new Int32Array(nodes).fill(nobody)
  for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
    const kind = code[start] ?? 0
    const target = code[start + (kind === op.copy ? 2 : (filled[kind] ?? 0))] ?? 0
    if (kind === op.copy) {
      const source = code[start + 1] ?? 0
      from[target] = from[target] === nobody || from[target] === source ? source : several
    } else if (filled[kind] !== undefined) from[target] = several
  }
  const fromOutside = [
    0,
    ...functions.flatMap(({ parameters, rest, self }) => [...parameters, rest, self]),
    ...classes.map(({ self }) => self),
    ...imports.map(({ node }) => node),
  ]
  for (const node of fromOutside) from[node] = several
  return from
}

/** New numbers without gaps, the same for nodes that are one. Copies in a circle, which nothing enters, stay apart. */
function renumber({ nodes }: FileFacts, from: Int32Array): { count: number; numbers: Int32Array } {
  const numbers = new Int32Array(nodes)
  let count = 1
  for (let node = 1; node < nodes; node++) {
    const chain: number[] = []
    let at = node
    while (numbers[at] === 0 && (from[at] ?? several) >= 0 && chain.length < nodes) {
      chain.push(at)
      at = from[at] ?? 0
    }
    if (numbers[at] === 0) numbers[at] = count++
    for (const one of chain) if (numbers[one] === 0) numbers[one] = numbers[at] ?? 0
  }
  return { count, numbers }
}

function rewrite(code: Int32Array, node: (old: number) => number): Int32Array {
  const rewritten = Int32Array.from(code)
  let end = 0
  for (let start = 0; start < code.length; ) {
    const next = nextInstruction(code, start)
    const kind = code[start] ?? 0
    const first = end
    for (let index = start; index < next; index++) rewritten[end++] = code[index] ?? 0
    for (const operand of nodeOperands[kind] ?? []) rewritten[first + operand] = node(code[start + operand] ?? 0)
    const count = kind === op.call ? (code[start + 7] ?? 0) : kind === op.tag ? (code[start + 4] ?? 0) : 0
    for (let index = end - count; index < end; index++) rewritten[index] = node(rewritten[index] ?? 0)
    if (kind === op.copy && rewritten[first + 1] === rewritten[first + 2]) end = first
    start = next
  }
  return rewritten.slice(0, end)
}
