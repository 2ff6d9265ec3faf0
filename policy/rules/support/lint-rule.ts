import type { Scope, ScopeManager } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'

export type Node = TSESTree.Node
export type { Reference, Scope, Variable } from '@typescript-eslint/scope-manager'
export type { TSESTree } from '@typescript-eslint/types'

/**
 * What kind of file is being looked at.
 * `own` — the module's source; `dependency` — an npm file of the bundle; `mobile` — a mobile screen, which a browser runs.
 */
export type FileKind = 'own' | 'dependency' | 'mobile'

export type TextEdit = { readonly range: readonly [number, number]; readonly text: string }

type Fixer = { replaceTextRange(range: readonly [number, number], text: string): TextEdit }

export type RuleContext = {
  readonly filename: string
  readonly sourceCode: {
    readonly text: string
    readonly ast: TSESTree.Program
    readonly scopeManager: ScopeManager
    getText(node: Node): string
    getScope(node: Node): Scope
  }
  readonly settings: {
    readonly fileKind?: FileKind
    readonly mobileOrigin?: string
    /** The parts of Node that the bundle gives this file something else for. */
    readonly replaced?: readonly string[]
  }
  report(problem: { node: Node; message: string; fix?: (fixer: Fixer) => TextEdit }): void
}

/** An ESLint rule, typed over the TypeScript tree. `files` says to which kinds of file the scan applies it. */
export type LintRule = {
  readonly files: readonly FileKind[]
  /** Whether it can mend what it reports without changing what the code means. */
  readonly fixable?: boolean
  create(context: RuleContext): RuleListener
}

export type RuleListener = { readonly [Type in Node['type']]?: (node: Extract<Node, { type: Type }>) => void } & {
  readonly 'Program:exit'?: (node: TSESTree.Program) => void
}

/** The kind of the file a rule runs on; an editor that does not say is looking at the module's own source. */
export function fileKindOf(context: RuleContext): FileKind {
  return context.settings.fileKind ?? 'own'
}

/** How to mend what stands in an npm file, which its user cannot rewrite. */
export const otherLibrary = 'Choose a library that does without, or import only a part of this one that does.'
