import type { Declared } from './declared.ts'
import { fieldNode, held, type ObjectValue, report, type Solver, type Value } from './solver.ts'

const fix = "Write `class X extends LandingWidget` with LandingWidget from '@partner/sdk'."

/** Every widget the module exports extends the SDK's base class, and every declared one is exported. */
export function checkWidgets(solver: Solver, declared: Declared['widgets'], entry: string): void {
  const exported = new Set<string>()
  for (const module of solver.modules) {
    for (const table of valuesOf(solver, module, 'widgets')) {
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
  for (const { component, line } of declared) {
    if (solver.modules.size === 0 || exported.has(component) || exported.has('*')) continue
    const message = `The manifest declares the widget component \`${component}\`, and \`widgets\` of the module has none of that name.`
    report(solver, {
      rule: 'landing-widget-missing',
      place: { file: 'manifest.json', at: line * 4096 + 1 },
      message,
      fix: 'Export it under `widgets` in defineModule.',
    })
  }
}

function valuesOf(solver: Solver, object: ObjectValue, name: string): Value[] {
  return [...held(solver, fieldNode(solver, object, name))]
}

function extendsWidget(solver: Solver, value: Value, depth: number): boolean {
  if (value.kind === 'capability') return value.path === 'sdk.LandingWidget'
  if (value.kind !== 'class' || depth > 16) return false
  const parents = held(solver, value.parent)
  return parents.length > 0 && parents.every((parent) => extendsWidget(solver, parent, depth + 1))
}
