import type { Fields } from './ast.ts'

/** `runtime`: one statement of a module's code. `migration`: the statements of a migration file. */
export type Profile = 'runtime' | 'migration'

/** What one statement's rules may know: where it runs, and what they note about it. */
export type GuardContext = {
  readonly schema: string
  readonly profile: Profile
  /** The statement reads or changes rows (rather than defining tables). */
  readonly isData: boolean
  readonly tags: Set<StatementTag>
}

/**
 * `qualified`: names the module's schema, so it must be mapped where it runs in another one. `conflict_target`: names
 * columns after ON CONFLICT. `tenant_rewrite`: holds a key that must begin with the tenant. `rows`: answers rows.
 */
export type StatementTag =
  | 'qualified'
  | 'conflict_target'
  | 'rows'
  | 'create_table'
  | 'tenant_rewrite'
  | 'foreign_key'
  | 'serial'
  | 'destructive'
  | 'concurrent'

export type NodeRule = (fields: Fields, context: GuardContext) => void
export type NodeRules = Readonly<Record<string, NodeRule>>
