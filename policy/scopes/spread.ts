import { contextFields } from './escapes.ts'
import { follow, shown } from './loads.ts'
import { add, fieldNode, flow, listen, type Place, report, type Solver, watchFields } from './solver.ts'
import { anyField, type ObjectValue, unknown } from './values.ts'

/** `{...source}` into an object: its fields, and for the context its parts; services and db are never copied whole. */
export function copyFields(solver: Solver, source: number, target: ObjectValue, place: Place): void {
  listen(solver, source, (value) => {
    switch (value.kind) {
      case 'object':
        if (value !== target) watchFields(value, (name, node) => flow(solver, node, fieldNode(solver, target, name)))
        if (value.tainted) add(solver, fieldNode(solver, target, anyField), unknown)
        return
      case 'unknown':
        add(solver, fieldNode(solver, target, anyField), unknown)
        return
      case 'capability':
        if (value.path === 'ctx')
          for (const [name, part] of contextFields(solver)) add(solver, fieldNode(solver, target, name), part)
        else if (value.path.startsWith('ctx.')) {
          report(solver, {
            rule: 'scope-untraceable',
            place,
            message: `\`${shown(value.path)}\` is copied part by part.`,
            fix: follow,
          })
        }
        return
      case 'record':
      case 'typed':
        add(solver, fieldNode(solver, target, anyField), value)
        return
      case 'namespace':
        for (const node of value.exports(anyField)) flow(solver, node, fieldNode(solver, target, anyField))
        return
      default:
        return
    }
  })
}
