import { type Crossing, nodeNamed, valueNamed } from './crossing.ts'
import type { FileFacts, ReexportFacts } from './facts.ts'
import { nodeNames } from './names.ts'
import { add, capability, flow, freshNode, type Solver } from './solver.ts'
import { anyField, unknown, type Value } from './values.ts'

/** Where an import leads: another file of the module by its number, the SDK, or code the scan does not follow. */
export type Target = 'sdk' | 'unknown' | number
/** Of one file, by what stands in the import. */
export type Targets = (specifier: string) => Target

/** Lets in what a file imports. */
export function wireImports(crossing: Crossing, { imports }: FileFacts, targets: Targets): void {
  const { solver } = crossing
  for (const { specifier, name, node } of imports) {
    const target = targets(specifier)
    if (typeof target === 'number' && name !== '*')
      flow(solver, nodeNamed(crossing, nodeNames.exported(target, name)), node)
    else add(solver, node, wholeOf(crossing, target, name))
  }
}

/** What a name of the SDK, or of unknown code, or all of a file is. */
function wholeOf(crossing: Crossing, target: Target, name: string): Value {
  if (target === 'sdk') return capability(crossing.solver, name === '*' ? 'sdk' : `sdk.${name}`)
  return target === 'unknown' ? unknown : valueNamed(crossing, `n${target}`)
}

/** The nodes of what a file exports, by name; `anyField` asks for all of it. What it hands on from others is in them too. */
export function createExports(
  solver: Solver,
  { exports, reexports }: FileFacts,
  targets: Targets,
  crossing: () => Crossing,
): (name: string) => number {
  const known = new Map<string, number>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const node = freshNode(solver)
    known.set(name, node)
    for (const own of exports) if (name === anyField || own.name === name) flow(solver, own.node, node)
    for (const handed of reexports) handOn(crossing(), handed, targets(handed.specifier), name, node)
    return node
  }
}

function handOn(
  crossing: Crossing,
  { name: inner, as }: ReexportFacts,
  target: Target,
  name: string,
  to: number,
): void {
  const all = as === '*'
  if (!all && name !== anyField && as !== name) return
  const wanted = all ? name : inner
  if (typeof target === 'number' && (all || inner !== '*'))
    flow(crossing.solver, nodeNamed(crossing, nodeNames.exported(target, wanted)), to)
  else add(crossing.solver, to, wholeOf(crossing, target, wanted))
}
