import type { Linked } from './link.ts'
import { add, anyField, capability, type Exports, flow, freshNode, type Solver, unknown, type Value } from './solver.ts'

/** Where an import leads: a file of the module, the SDK, or code the scan does not follow. */
export type Resolve = (from: string, specifier: string) => { readonly file: string } | 'sdk' | 'unknown'

/** The files of a module, and the imports that wait for one of them. */
export type Imports = {
  readonly solver: Solver
  readonly resolve: Resolve
  readonly linked: Map<string, Linked>
  waiting: { readonly from: Linked; readonly index: number }[]
  readonly namespaces: Map<string, Value>
}

export function createImports(solver: Solver, resolve: Resolve): Imports {
  return { solver, resolve, linked: new Map(), waiting: [], namespaces: new Map() }
}

export function addFile(imports: Imports, from: Linked): void {
  imports.linked.set(from.file, from)
  for (let index = 0; index < from.facts.imports.length; index++) imports.waiting.push({ from, index })
}

/**
 * Lets values through the imports that lead to one of these files; the others wait. A file must be complete: what it hands
 * on from other files is read when its names are asked for, so they have to be there.
 */
export function wireImports(imports: Imports, isComplete: (file: string) => boolean): void {
  const { solver, resolve, linked } = imports
  imports.waiting = imports.waiting.filter(({ from, index }) => {
    const { specifier, name, node } = from.facts.imports[index] ?? { specifier: '', name: '', node: 0 }
    const target = resolve(from.file, specifier)
    if (typeof target === 'object' && !isComplete(target.file)) return true
    const local = from.node(node)
    if (target === 'sdk') add(solver, local, capability(solver, name === '*' ? 'sdk' : `sdk.${name}`))
    else if (target === 'unknown' || !linked.has(target.file)) add(solver, local, unknown)
    else if (name === '*') add(solver, local, namespace(imports, target.file))
    else for (const exported of exportNodes(imports, target.file, name)) flow(solver, exported, local)
    return false
  })
}

/** The files that are there with everything they hand on. */
export function completeFiles({ linked, resolve }: Imports): Set<string> {
  const complete = new Set(linked.keys())
  const lacks = ({ file, facts }: Linked) =>
    facts.reexports.some(({ specifier }) => {
      const target = resolve(file, specifier)
      return typeof target === 'object' && !complete.has(target.file)
    })
  const handing = [...linked.values()].filter(({ facts }) => facts.reexports.length > 0)
  const next = () => handing.find((one) => complete.has(one.file) && lacks(one))
  for (let lacking = next(); lacking; lacking = next()) complete.delete(lacking.file)
  return complete
}

/** The nodes a file exports under a name, re-exports followed; `anyField` asks for all of them. */
export function exportNodes(imports: Imports, file: string, name: string, visited = new Set<string>()): number[] {
  const { solver, resolve, linked } = imports
  const source = linked.get(file)
  if (!source || visited.has(`${file} ${name}`)) return []
  visited.add(`${file} ${name}`)
  const found = source.facts.exports
    .filter((entry) => name === anyField || entry.name === name)
    .map((entry) => source.node(entry.node))
  for (const { specifier, name: inner, as } of source.facts.reexports) {
    const all = as === '*'
    if (!all && name !== anyField && as !== name) continue
    const target = resolve(file, specifier)
    const wanted = all ? name : inner
    if (target === 'sdk') found.push(holding(solver, capability(solver, wanted === '*' ? 'sdk' : `sdk.${wanted}`)))
    else if (target === 'unknown') found.push(holding(solver, unknown))
    else if (!all && inner === '*') found.push(holding(solver, namespace(imports, target.file)))
    else found.push(...exportNodes(imports, target.file, wanted, visited))
  }
  return found
}

function holding(solver: Solver, value: Value): number {
  const node = freshNode(solver)
  add(solver, node, value)
  return node
}

function namespace(imports: Imports, file: string): Value {
  const exports: Exports = (name) => exportNodes(imports, file, name)
  const value = imports.namespaces.get(file) ?? { kind: 'namespace', exports }
  imports.namespaces.set(file, value)
  return value
}
