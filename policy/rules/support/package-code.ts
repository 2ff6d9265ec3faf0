import { type GlobalUse, onlyAsks } from './globals.ts'
import type { Node } from './lint-rule.ts'

/**
 * When an npm file fails that asks `Function` or its kin for code: an isolate makes none at run time, so nothing gets by the
 * scan this way, and what a file does with the constructor as a value is its own business.
 *
 * `never` — it asks for no code, or a `try` around it shows that it has another way; `at_load` — with the whole module;
 * `when_called` — only what is built on it.
 */
export function whenCodeFails(node: Node): 'never' | 'at_load' | 'when_called' {
  const { parent } = node
  const asks = parent?.type === 'CallExpression' || parent?.type === 'NewExpression'
  if (!asks || (parent.callee === node && asksForGlobalObject(parent.arguments)) || isTried(parent)) return 'never'
  return isInFunction(parent) ? 'when_called' : 'at_load'
}

/** `Function('return this')()`, which an isolate answers with its global object. */
function asksForGlobalObject([text, ...others]: readonly Node[]): boolean {
  return others.length === 0 && text?.type === 'Literal' && /^return this;?$/.test(String(text.value))
}

/** The globals an npm file works without: it asks whether they are there, or catches their absence. */
export function worksWithout(uses: readonly GlobalUse[]): (use: GlobalUse) => boolean {
  const asked = new Set(uses.filter(onlyAsks).map(rootOf))
  return (use) => asked.has(rootOf(use)) || isTried(use.node)
}

export const rootOf = ({ path }: GlobalUse): string => path.split('.')[0] ?? path

/** Whether a failure right here is caught, in the same function. */
function isTried(node: Node): boolean {
  for (let at = node; at.parent && !isFunction(at); at = at.parent) {
    if (at.parent.type === 'TryStatement' && at.parent.block === at && isHandled(at.parent)) return true
  }
  return false
}

/** A `catch` that ends by throwing hands the failure on. */
function isHandled({ handler }: Extract<Node, { type: 'TryStatement' }>): boolean {
  return handler !== null && handler.body.body.at(-1)?.type !== 'ThrowStatement'
}

function isInFunction(node: Node): boolean {
  for (let at: Node | undefined = node; at; at = at.parent) if (isFunction(at)) return true
  return false
}

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
