import { type GlobalUse, onlyAsks } from './globals.ts'
import type { Node } from './lint-rule.ts'
import { rootOf } from './package-code.ts'

const constructors = new Set(['Function', 'AsyncFunction', 'GeneratorFunction'])

/** `Function` and its kin, where the use is more than a question. */
export function makesFunctions(use: GlobalUse): boolean {
  return constructors.has(rootOf(use)) && !onlyAsks(use) && !tellsValuesApart(use)
}

/** `Function.prototype.toString.call(x)` and `Function.prototype` in a comparison are how libraries tell values apart. */
function tellsValuesApart({ path }: GlobalUse): boolean {
  return /^Function(\.toString|\.prototype(\.(toString|call|apply|bind|hasOwnProperty|name))?)(\.(call|bind|apply))*$/.test(
    path,
  )
}

/** Whether `.constructor` of this value is certainly `Function` or one of its kin. */
export function leadsToFunction(object: Node): boolean {
  switch (object.type) {
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return true
    case 'MemberExpression':
      return object.property.type === 'Identifier' && object.property.name === 'constructor'
    case 'CallExpression':
      return (
        object.callee.type === 'MemberExpression' &&
        object.callee.property.type === 'Identifier' &&
        object.callee.property.name === 'getPrototypeOf' &&
        object.arguments[0] !== undefined &&
        leadsToFunction(object.arguments[0])
      )
    default:
      return false
  }
}
