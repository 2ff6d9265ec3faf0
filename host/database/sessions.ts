/** Sessions that one web process may have open at once, by what they are for. `listeners`: for revoked tokens. */
export const webSessions = { core: 20, system: 5, modules: 40, listeners: 1 } as const

/** Those of the publisher, the worker, migrations, cancellations and an operator who looks. */
const otherSessions = 60
/** So many cost a server nothing; memory is taken by those that are open. */
const fewest = 200

/** What a server of our own must admit: one that refuses sessions refuses those of modules and webhooks first. */
export function mostSessions(webProcesses: number): number {
  const each = Object.values(webSessions).reduce((sum, count) => sum + count, 0)
  return Math.max(fewest, otherSessions + webProcesses * each)
}
