import { leadsToFunction, makesFunctions } from './support/code-makers.ts'
import { type GlobalUse, globalUses, memberName, onlyAsks, unknownMember } from './support/globals.ts'
import { fileKindOf, type LintRule, type Node, otherLibrary, type RuleContext } from './support/lint-rule.ts'
import { rootOf, whenCodeFails, worksWithout } from './support/package-code.ts'
import { staticText } from './support/static-text.ts'

export const forbidden = new Set([
  'eval',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'ShadowRealm',
  'Worker',
  'SharedWorker',
  'importScripts',
  'execScript',
])
const timers = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'])
const mend = 'Write the code as ordinary functions, and choose between them with an object or a switch.'

/** Code made from text at run time cannot be scanned, whatever alias makes it. */
export const dynamicCode: LintRule = {
  files: ['own', 'dependency', 'mobile'],
  create(context) {
    return {
      Program(node) {
        const uses = globalUses(context)
        const isLeft = fileKindOf(context) === 'dependency' ? leftToPackage(uses) : () => false
        for (const use of uses) if (!isLeft(use)) checkGlobal(context, use)
        for (const factory of jsxFactories(context)) {
          if (!isOwnFactory(context, factory))
            report(context, node, `\`@jsx ${factory}\` calls what this file neither declares nor imports.`)
        }
      },
      MemberExpression(node) {
        if (memberName(node, context.sourceCode.getScope(node)) === 'constructor')
          checkConstructor(context, node, node.object)
      },
      Property(node) {
        if (node.parent.type !== 'ObjectPattern') return
        const scope = context.sourceCode.getScope(node)
        const name = node.key.type === 'Identifier' && !node.computed ? node.key.name : staticText(node.key, scope)
        if (name === 'constructor' && fileKindOf(context) !== 'dependency')
          report(context, node, '`constructor` taken out of a value leads to `Function`.')
      },
      ImportExpression(node) {
        if (staticText(node.source, context.sourceCode.getScope(node)) === undefined) {
          report(context, node, 'import() of a name made at run time cannot be followed.')
        }
      },
    }
  },
}

function checkGlobal(context: RuleContext, use: GlobalUse): void {
  const root = rootOf(use)
  if (makesFunctions(use) || (forbidden.has(root) && !onlyAsks(use))) {
    report(context, use.node, `\`${root}\` makes code from text or memory outside the scan.`)
    return
  }
  if (use.path === `globalThis.${unknownMember}` && fileKindOf(context) !== 'dependency') {
    report(context, use.node, 'A computed name on the global object can be any global, `eval` included.')
  }
  if (use.path === 'globalThis' && fileKindOf(context) === 'own' && !isTested(use)) {
    report(context, use.node, 'The global object as a value can give any global out of sight, `eval` included.')
  }
  const { parent } = use
  const isCallee = parent?.type === 'CallExpression' && parent.callee === use.node
  if (timers.has(use.path) && isCallee && isText(context, parent.arguments[0])) {
    report(context, parent, `\`${use.path}\` with text runs it as code: pass a function.`)
  }
  if (use.path === 'require' && isCallee) checkRequire(context, parent)
}

/** What esbuild calls for each JSX element: a comment names it, so that it stands nowhere in the tree. */
function jsxFactories({ filename, sourceCode }: RuleContext): string[] {
  if (!/\.[jt]sx$/.test(filename)) return []
  return [...sourceCode.text.matchAll(/@jsx(?:Frag)?\s+(\S+)/g)].map(([, factory]) => factory ?? '')
}

/** A name of the file's own, or a member of one, goes on being followed where it is declared. */
function isOwnFactory({ sourceCode }: RuleContext, factory: string): boolean {
  const [root, ...members] = factory.replace(/\*+\/$/, '').split('.')
  const module = sourceCode.scopeManager.scopes.find(({ type }) => type === 'module')
  return (
    (module?.set.get(root ?? '')?.defs.length ?? 0) > 0 &&
    members.every((name) => /^(?!constructor$)[\w$]+$/.test(name))
  )
}

/** Whether the value itself goes nowhere: it is compared, or only asked for being there. */
function isTested(use: GlobalUse): boolean {
  return onlyAsks(use) || use.parent?.type === 'UnaryExpression' || use.parent?.type === 'BinaryExpression'
}

/** What an npm file may do: hold `eval` as a value, ask `Function` for what it can do without, use others where they are. */
function leftToPackage(uses: readonly GlobalUse[]): (use: GlobalUse) => boolean {
  const goesWithout = worksWithout(uses)
  return (use) => {
    if (makesFunctions(use)) return whenCodeFails(use.node) !== 'at_load'
    return rootOf(use) === 'eval' ? whenCodeFails(use.node) === 'never' : goesWithout(use)
  }
}

function checkRequire(context: RuleContext, call: Extract<Node, { type: 'CallExpression' }>): void {
  const argument = call.arguments[0]
  const text = argument && staticText(argument, context.sourceCode.getScope(call))
  if (text === undefined) report(context, call, 'require() of a name made at run time cannot be followed.')
  else if (fileKindOf(context) === 'own') report(context, call, `require('${text}') cannot be followed: use import.`)
}

function isText(context: RuleContext, argument: Node | undefined): boolean {
  if (!argument) return false
  if (argument.type === 'TemplateLiteral') return true
  if (argument.type === 'BinaryExpression') return argument.operator === '+'
  return staticText(argument, context.sourceCode.getScope(argument)) !== undefined
}

/**
 * `(() => {}).constructor` is `Function`. In the module's own source only `.constructor.name` and comparisons are accepted;
 * in npm files, where `this.constructor` is common, only the forms that lead to `Function` are refused.
 */
function checkConstructor(context: RuleContext, node: Node, object: Node): void {
  const { parent } = node
  if (parent?.type === 'MemberExpression' && parent.object === node && !parent.computed) {
    if (parent.property.type === 'Identifier' && ['name', 'prototype'].includes(parent.property.name)) return
  }
  if (parent?.type === 'BinaryExpression' && parent.operator !== '+') return
  if (fileKindOf(context) === 'dependency' && (!leadsToFunction(object) || whenCodeFails(node) !== 'at_load')) return
  report(context, node, '`.constructor` of a value leads to `Function`, which makes code from text.')
}

function report(context: RuleContext, node: Node, message: string): void {
  context.report({ node, message: `${message} ${fileKindOf(context) === 'dependency' ? otherLibrary : mend}` })
}
