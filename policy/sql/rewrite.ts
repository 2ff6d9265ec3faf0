/** Puts module SQL into its tenant form. Give it statements that `checkSql` allowed, with the same schema. */
export { RewriteRefused } from './emit.ts'
export type { RewriteOptions } from './rewrite-definition.ts'
export { rewriteMigrationStatement } from './rewrite-definition.ts'
export type { RuntimeRewriteOptions, RuntimeStatement } from './rewrite-runtime.ts'
export { rewriteRuntimeStatement } from './rewrite-runtime.ts'
