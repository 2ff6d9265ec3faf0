import type { Statement } from './bound-values.ts'
import { ModuleSqlError } from './errors.ts'
import type { ModuleConnection } from './module-connection.ts'
import { type Step, StepFailure } from './pipeline.ts'
import { isStale } from './prepared-statements.ts'
import { command, safeError } from './run-statement.ts'

export type ModuleTransaction = {
  rows(statement: Statement): Promise<string>
  execute(statement: Statement): Promise<number>
  /** Throws when a statement before failed: then nothing was kept. */
  commit(): Promise<void>
  /** Also harmless after the end. */
  rollback(): Promise<void>
}

type Options = {
  session: ModuleConnection
  /** BEGIN and the gate: they travel with the first statement. */
  opening(): Step[]
  /** `prelude` is asked for when the statement is about to be sent: one that is refused before opens nothing. */
  run(statement: Statement, want: 'rows' | 'count', prelude: () => Step[]): Promise<{ json: string; count: number }>
  committed(): void
  limitMs: number
  release(): void
}

const endLimits = { statementMs: 2_000, maxSocketBytes: 65_536 }

/** One transaction on one session. After `limitMs` the session is ended, and with it everything that was not committed. */
export function startTransaction({ session, opening, run, limitMs, committed, release }: Options): ModuleTransaction {
  let state: 'fresh' | 'open' | 'ended' | 'expired' = 'fresh'
  // One statement after the other: a module may start several without awaiting.
  let last: Promise<unknown> = Promise.resolve()
  const timer = setTimeout(() => {
    end('expired')
    session.destroy()
    release()
  }, limitMs)

  function end(how: 'ended' | 'expired'): void {
    state = how
    clearTimeout(timer)
  }

  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }

  function refuseAfterEnd(): void {
    if (state === 'expired') throw expired()
    if (state === 'ended') throw new ModuleSqlError('sql_error', 'the transaction has ended')
  }

  /** Where the first statement found that a migration changed what it answers, nothing was done: it begins anew. */
  async function beginAnew(error: unknown): Promise<void> {
    const goesOn = state === 'fresh' || state === 'open'
    if (!goesOn || !(error instanceof StepFailure && isStale(error.cause))) throw error
    if (state === 'open') await session.run([command(session, 'rollback')], endLimits)
    state = 'fresh'
  }

  async function statement(text: Statement, want: 'rows' | 'count') {
    refuseAfterEnd()
    const isFirst = state === 'fresh'
    const prelude = () => {
      const steps = state === 'fresh' ? opening() : []
      if (state === 'fresh') state = 'open'
      return steps
    }
    try {
      const attempt = () => run(text, want, prelude)
      const result = await (isFirst ? attempt().catch((error) => beginAnew(error).then(attempt)) : attempt())
      // A statement that ended the transaction itself passed the guard against all rules: keep nothing of this session.
      if (session.status() !== 'T') throw new ModuleSqlError('sql_refused', 'the transaction was ended from within')
      return result
    } catch (error) {
      if ((state as string) === 'expired') throw expired()
      throw safeError(error)
    }
  }

  async function finish(word: 'commit' | 'rollback'): Promise<void> {
    const untouched = state === 'fresh'
    const failed = session.status() === 'E'
    end('ended')
    try {
      if (!untouched) await session.run([command(session, failed ? 'rollback' : word)], endLimits)
    } catch (error) {
      session.destroy()
      throw safeError(error)
    } finally {
      release()
    }
    if (word === 'commit' && !failed && !untouched) committed()
    if (failed && word === 'commit')
      throw new ModuleSqlError('sql_error', 'the transaction had failed: nothing was kept')
  }

  return {
    rows: (text) => inOrder(async () => (await statement(text, 'rows')).json),
    execute: (text) => inOrder(async () => (await statement(text, 'count')).count),
    commit: () =>
      inOrder(async () => {
        refuseAfterEnd()
        await finish('commit')
      }),
    rollback: () =>
      inOrder(async () => {
        if (state === 'fresh' || state === 'open') await finish('rollback')
      }),
  }
}

const expired = () => new ModuleSqlError('timeout', 'the transaction took too long')
