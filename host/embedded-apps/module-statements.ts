import { z } from 'zod'
import type { Caller } from '../../partner-services/service/caller.ts'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { ModuleSqlError } from '../module-database/errors.ts'
import type { ModuleDatabase } from '../module-database/module-database.ts'
import type { ModuleTransaction } from '../module-database/transaction.ts'
import { readArguments } from './guest-arguments.ts'

const statementSchema = z.object({
  text: z.string(),
  values: z.array(z.unknown()).default([]),
  tx: z.number().int().optional(),
})

/** Of anything else than a transaction's number: one that is not open. */
const endSchema = z.object({ tx: z.number().default(0) }).catch({ tx: 0 })

/** A module's transactions at one time: more would let one request hold a pool. */
const maxTransactions = 2

export type ModuleStatements = ReturnType<typeof createModuleStatements>

/** The `db` of one request: statements on the module's own schema, this tenant's rows. `confirm`: as of the bridge. */
export function createModuleStatements(database: ModuleDatabase, caller: Caller, confirm: () => Promise<unknown>) {
  const module = { slug: caller.app.slug, sandbox: caller.tenant.sandbox }
  const tenantId = caller.tenant.id
  /** Those that wait for a session, too: they count, and are given back, like those that have one. */
  const transactions = new Map<number, Promise<ModuleTransaction>>()
  let lastTransaction = 0
  let wrote = false
  let closed = false

  const parse = (args: string) => {
    const parsed = statementSchema.safeParse(readArguments(args))
    if (!parsed.success) throw new InvalidInputException({ statement: ['must come from the sql tag'] })
    return parsed.data
  }
  const open = async (tx: number): Promise<ModuleTransaction> => {
    const transaction = transactions.get(tx)
    if (!transaction) throw new ModuleSqlError('sql_error', 'the transaction has ended')
    return transaction
  }
  let admitted: Promise<unknown> = Promise.resolve()
  /** Begins work once it is confirmed, in the order in which it was asked for: a module may not await its statements. */
  const admit = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) throw new ServiceError('invalid_state')
    const begun = admitted.then(confirm).then(() => ({ result: work() }))
    admitted = begun.catch(() => {})
    return (await begun).result
  }
  const begin = async () => {
    if (transactions.size >= maxTransactions)
      throw new ModuleSqlError('sql_refused', `a request has at most ${maxTransactions} transactions at one time`)
    const tx = ++lastTransaction
    const begun = database.transaction(module, tenantId)
    transactions.set(tx, begun)
    begun.catch(() => transactions.delete(tx))
    await begun
    return JSON.stringify({ tx })
  }
  const end = async (args: string, how: 'commit' | 'rollback') => {
    const { tx } = endSchema.parse(readArguments(args))
    const transaction = open(tx)
    transactions.delete(tx)
    await (await transaction)[how]()
    return 'null'
  }

  const verbs: Record<string, (args: string) => Promise<string>> = {
    async rows(args) {
      const { tx, ...statement } = parse(args)
      // A statement that answers with rows may change some too: `insert … returning`.
      wrote ||= !/^\s*select\b/i.test(statement.text)
      return admit(async () =>
        tx === undefined ? database.rows(module, tenantId, statement) : (await open(tx)).rows(statement),
      )
    },
    async execute(args) {
      const { tx, ...statement } = parse(args)
      wrote = true
      return admit(async () =>
        String(
          await (tx === undefined
            ? database.execute(module, tenantId, statement)
            : (await open(tx)).execute(statement)),
        ),
      )
    },
    begin() {
      wrote = true
      return admit(begin)
    },
    commit: (args) => admit(() => end(args, 'commit')),
    rollback: (args) => admit(() => end(args, 'rollback')),
  }

  return {
    serve(verb: string, args: string): Promise<string> {
      const run = Object.hasOwn(verbs, verb) ? verbs[verb]! : null
      if (!run) throw new ServiceError('not_found')
      return run(args)
    },
    wrote: () => wrote,
    /**
     * Lets begin what was asked for before, as a module may not await it, then rolls back what is still open. What never
     * began or lost its session keeps nothing, and spoils no answer.
     */
    async close() {
      closed = true
      await admitted
      const left = [...transactions.values()]
      transactions.clear()
      await Promise.allSettled(left.map(async (transaction) => (await transaction).rollback()))
    },
  }
}
