import type pg from 'pg'
import { runPipeline } from '../../module-database/pipeline.ts'
import { importError, migrationSteps, type PlannedStep, plainStep, recordStep, type RunContext } from './apply.ts'
import { type MigrationHead, MigrationImportError, type PlannedMigration } from './migration-types.ts'
import type { OwnerSession } from './owner-session.ts'

export type MigrationRehearsal = {
  file: string
  milliseconds: number
  /** Rows that its data statements changed, for one tenant. */
  rows: number
  /** Tables that were there before and were locked against reading or writing, from the statement on until the commit. */
  locks: { table: string; blocks: 'writes' | 'reads and writes'; milliseconds: number }[]
  /** Tables that were there before and were written anew, row by row. */
  rewritten: string[]
  /** What would undo it, as its author says; never run. */
  reverse: readonly string[]
  error?: string
}

type Lock = { table: string; exclusive: boolean }

/** Runs one migration statement by statement, looking at its locks from another session after each. */
export async function measureMigration(
  superuser: pg.Client,
  session: OwnerSession,
  head: MigrationHead,
  plan: PlannedMigration,
  context: RunContext,
): Promise<MigrationRehearsal> {
  const before = await fileNodes(superuser, session.roles.schema)
  const steps = [
    plainStep('begin'),
    ...migrationSteps(session, plan, context),
    recordStep(session, head, plan, context),
    plainStep('commit'),
  ]
  const held = new Map<string, { since: number; exclusive: boolean }>()
  const start = performance.now()
  let rows = 0
  let error: string | undefined
  for (const planned of steps) {
    const since = performance.now()
    try {
      rows += await runOne(session, planned)
    } catch (failure) {
      await session.client.query('rollback').catch(() => {})
      const refusal = importError(failure, [planned], head, context)
      if (!(refusal instanceof MigrationImportError)) throw refusal
      error = refusal.message
      break
    }
    if (!planned.statement) continue
    for (const { table, exclusive } of await locksOf(superuser, session)) {
      if (!before.has(table)) continue
      const known = held.get(table)
      held.set(table, { since: known?.since ?? since, exclusive: exclusive || known?.exclusive === true })
    }
  }
  const end = performance.now()
  const after = await fileNodes(superuser, session.roles.schema)
  return {
    file: head.file,
    milliseconds: Math.round(end - start),
    rows,
    locks: [...held].map(([table, { since, exclusive }]) => ({
      table,
      blocks: exclusive ? 'reads and writes' : 'writes',
      milliseconds: Math.round(end - since),
    })),
    rewritten: [...before]
      .filter(([table, node]) => after.has(table) && after.get(table) !== node)
      .map(([table]) => table),
    reverse: plan.reverse ?? [],
    ...(error !== undefined && { error }),
  }
}

async function runOne(session: OwnerSession, { step, statement }: PlannedStep): Promise<number> {
  const [result] = await runPipeline(session.client, [step])
  return statement?.class === 'data' ? Number(/\d+$/.exec(result?.tag ?? '')?.[0] ?? 0) : 0
}

/** The strong locks on tables that the session holds now. */
async function locksOf(superuser: pg.Client, session: OwnerSession): Promise<Lock[]> {
  const { processID } = session.client as unknown as { processID: number }
  const { rows } = await superuser.query<Lock>(
    `select c.relname as table, bool_or(l.mode = 'AccessExclusiveLock') as exclusive
     from pg_locks l join pg_class c on c.oid = l.relation and c.relkind = 'r'
     where l.pid = $1 and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       and c.relnamespace = $2::regnamespace
     group by 1`,
    [processID, session.roles.schema],
  )
  return rows
}

/** Table → the file that holds its rows: another one means that every row was written again. */
async function fileNodes(superuser: pg.Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await superuser.query<{ table: string; node: string }>(
    `select relname as table, pg_relation_filenode(oid)::text as node from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  )
  return new Map(rows.map(({ table, node }) => [table, node]))
}
