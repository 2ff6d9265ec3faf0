import type { Problem, Solver } from './solver.ts'
import type { ObjectValue, Value } from './values.ts'
import { fieldNode, held, listen, report, watchFields } from './solver.ts'
import type { Declared } from './declared.ts'

const fix = "Write `class X extends LandingWidget` with LandingWidget from '@partner/sdk'."
const maxDepth = 16

/** Hears of the widgets of a module and of what they extend, wherever they are written. */
export function watchWidgets(solver: Solver, module: ObjectValue): void {
  listen(solver, fieldNode(solver, module, 'widgets'), (table) => {
    if (table.kind !== 'object') return
    watchFields(table, (_name, node) => listen(solver, node, (widget) => watchParents(solver, widget, 0)))
  })
}

function watchParents(solver: Solver, value: Value, depth: number): void {
  if (value.kind !== 'class' || depth > maxDepth) return
  listen(solver, value.parent, (parent) => watchParents(solver, parent, depth + 1))
}

/** Once nothing moves any more: the names of the widgets the module exports, each of which must extend the SDK's base class. */
export function checkWidgets(solver: Solver, entry: string): string[] {
  const exported = new Set<string>()
  for (const module of solver.modules) {
    for (const table of held(solver, fieldNode(solver, module, 'widgets'))) {
      if (table.kind !== 'object') continue
      for (const [name, node] of table.fields) {
        exported.add(name)
        for (const value of held(solver, node)) {
          if (extendsWidget(solver, value, 0)) continue
          const message = `The widget \`${name}\` does not extend LandingWidget, so none of its barriers would stand.`
          report(solver, { rule: 'landing-widget-base-class', place: { file: entry, at: 0 }, message, fix })
        }
      }
    }
  }
  return [...exported]
}

/** Every widget the manifest declares is exported. */
export function missingWidgets(declared: Declared['widgets'], exported: ReadonlySet<string>): Problem[] {
  const missing = exported.has('*') ? [] : declared.filter(({ component }) => !exported.has(component))
  return missing.map(({ component, line }) => ({
    rule: 'landing-widget-missing',
    place: { file: 'manifest.json', at: line * 4096 + 1 },
    message: `The manifest declares the widget component \`${component}\`, and \`widgets\` of the module has none of that name.`,
    fix: 'Export it under `widgets` in defineModule.',
  }))
}

function extendsWidget(solver: Solver, value: Value, depth: number): boolean {
  if (value.kind === 'capability') return value.path === 'sdk.LandingWidget'
  if (value.kind !== 'class' || depth > maxDepth) return false
  const parents = held(solver, value.parent)
  return parents.length > 0 && parents.every((parent) => extendsWidget(solver, parent, depth + 1))
}
