import type * as ScopeManager from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import type { Linter } from 'eslint/universal'
import type * as Typescript from 'typescript'
import { installedPackages } from './installed.ts'
import { loadKept } from './kept.ts'

/** What the scan uses of other people's code, in every thread that reads a module's files. */
export type ParserPackages = {
  readonly ts: typeof Typescript
  /** Turns TypeScript's tree into ESTree's. */
  readonly astConverter: (
    source: Typescript.SourceFile,
    settings: Readonly<Record<string, boolean>>,
    nodeMaps: boolean,
  ) => { estree: TSESTree.Program }
  readonly scopes: typeof ScopeManager
  readonly Linter: typeof Linter
}

export const loadPackages = (): ParserPackages => loadKept() ?? installedPackages()
