/** All that the publisher is asked to do. Loaded at the first such request: most starts need none of it. */
export { moduleStatus } from './migrations/module-migrations.ts'
export { publish } from './publish.ts'
export { publishVersion } from './publish-version.ts'
export { rollBackApp } from './roll-back-app.ts'
export { startReview } from './review-version.ts'
export { guardSqlDraft } from './guard-sql-draft.ts'
export { tryInSandbox } from './try-in-sandbox.ts'
