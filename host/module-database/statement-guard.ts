import { createCache } from '../../policy/sql/cache.ts'
import type { Guard } from '../../policy/sql/worker.ts'
import { ModuleSqlError } from './errors.ts'

/**
 * What is sent for a module's statement: it passed the guard, and names the schema in which it runs. `schema` is the one
 * that the module's texts name. Throws `sql_refused`. A text seen before is answered at once, without a promise.
 */
export type StatementGuard = (
  text: string,
  schema: string,
  runSchema: string,
) => GuardedStatement | Promise<GuardedStatement>

/** `rows`: the statement answers rows. `command`: only a count. */
export type GuardedStatement = { text: string; kind: 'rows' | 'command' }

/** The guard's thread behind a cache of what passed: the usual statement costs one look into a map. */
export function createStatementGuard(guard: Guard): StatementGuard {
  const passed = createCache<GuardedStatement>({ entries: 2_000, characters: 8_000_000 })

  async function judge(key: string, text: string, schema: string, runSchema: string): Promise<GuardedStatement> {
    const verdict = await guard.check(text, { profile: 'runtime', schema, runSchema })
    if (!verdict.ok) throw new ModuleSqlError('sql_refused', `${verdict.refusal.rule}: ${verdict.refusal.reason}`)
    const [statement] = verdict.statements
    if (!statement) throw new ModuleSqlError('sql_refused', 'no statement')
    const guarded = { text: statement.text, kind: statement.tags.includes('rows') ? 'rows' : 'command' } as const
    passed.set(key, guarded)
    return guarded
  }

  return (text, schema, runSchema) => {
    const key = `${runSchema} ${text}`
    return passed.get(key) ?? judge(key, text, schema, runSchema)
  }
}
