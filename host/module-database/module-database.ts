import type pg from 'pg'
import { webSessions } from '../database/sessions.ts'
import { bindValues, sizeOf, type Statement } from './bound-values.ts'
import { ModuleSqlError } from './errors.ts'
import { createFairPool, type PoolLimits } from './fair-pool.ts'
import { type ModuleConnection, openModuleConnection } from './module-connection.ts'
import { type Step, StepFailure } from './pipeline.ts'
import { isStale } from './prepared-statements.ts'
import type { RoleSecrets } from './provision.ts'
import { type ModuleRoles, moduleRoleNames } from './role-names.ts'
import { command, runGated, type StatementLimits, safeError } from './run-statement.ts'
import type { StatementGuard } from './statement-guard.ts'
import { type ModuleTransaction, startTransaction } from './transaction.ts'

/** From the host's own record of the request: never from what a guest says. */
export type ModuleReference = { slug: string; sandbox: boolean }

export type ModuleDatabaseLimits = StatementLimits & {
  /** One transaction, the module's thinking included. Default 5,000. */
  transactionMs: number
}

export type ModuleDatabase = {
  /** The rows as the text of a JSON array, for the guest to parse. See json-values.ts for how types are written. */
  rows(module: ModuleReference, tenantId: string, statement: Statement): Promise<string>
  /** How many rows the statement changed. */
  execute(module: ModuleReference, tenantId: string, statement: Statement): Promise<number>
  /** One session until commit, rollback or the time limit. */
  transaction(module: ModuleReference, tenantId: string): Promise<ModuleTransaction>
  close(): void
}

/** A process of the server that one module's statement, for one tenant, may have left behind. */
export type LeftBehind = { slug: string; tenantId: string; role: string; pid: number }

export type ModuleDatabaseOptions = {
  connection: pg.ClientConfig
  suffix: string
  secrets: RoleSecrets
  guard: StatementGuard
  /** Whether a schema has reached its size limit: then what adds rows is refused. See watchSchemaSizes. */
  isOverSize?: (schema: string) => boolean
  /** Told of each session that was ended while its statement was at work: the server may work on. */
  onUnstopped?: (left: LeftBehind) => void
  pools?: Partial<PoolLimits>
  limits?: Partial<ModuleDatabaseLimits>
}

/** Of one role in one process: role limits on the server follow it. */
export const sessionsPerRole = 4
const defaultPools: PoolLimits = {
  perRole: sessionsPerRole,
  total: webSessions.modules,
  queue: 64 * 262_144,
  waitMs: 5_000,
  idleMs: 60_000,
}
const defaultLimits: ModuleDatabaseLimits = {
  statementMs: 2_150,
  transactionMs: 5_000,
  maxRows: 10_000,
  maxResultBytes: 1_000_000,
  maxSocketBytes: 8 << 20,
}

const gateText = 'select gate.enter($1, $2)'

/**
 * Where modules' statements run: guard, tenant gate and statement, in one round trip on a session of the module's role. The
 * first list that a session binds to a statement costs one more: how it is written depends on its parameter's type.
 */
export function createModuleDatabase(options: ModuleDatabaseOptions): ModuleDatabase {
  const { connection, secrets, guard, suffix } = options
  const limits = { ...defaultLimits, ...options.limits }
  const open = (role: string) => openModuleConnection(connection, role, secrets.passwordOf(role))
  const pool = createFairPool(open, { ...defaultPools, ...options.pools })
  const modules = new Map<string, KnownModule>()

  function known({ slug, sandbox }: ModuleReference): KnownModule {
    const key = sandbox ? `${slug} sandbox` : slug
    let module = modules.get(key)
    if (!module) {
      const roles = moduleRoleNames(slug, { suffix, kind: sandbox ? 'sandbox' : 'live' })
      module = { roles, schema: `m_${slug}`, gateSecret: secrets.gateSecretOf(roles.runtime) }
      modules.set(key, module)
    }
    return module
  }

  /** The text to send: guarded, and nothing that grows a schema which is too large already. */
  function admit(module: KnownModule, statement: Statement): string | Promise<string> {
    if (options.isOverSize?.(module.roles.schema) && /\b(insert|update|merge)\b/i.test(statement.text)) {
      throw new ModuleSqlError(
        'sql_refused',
        "the module's tables have reached their size limit: delete rows first, their room is free within minutes",
      )
    }
    const verdict = guard(statement.text, module.schema, module.roles.schema)
    return 'then' in verdict ? verdict.then(({ text }) => text) : verdict.text
  }

  async function single(reference: ModuleReference, tenantId: string, statement: Statement, want: 'rows' | 'count') {
    const module = known(reference)
    const admitted = admit(module, statement)
    const text = typeof admitted === 'string' ? admitted : await admitted
    const values = bindValues(statement.values)
    const session = await pool.acquire(module.roles.runtime, tenantId, sizeOf(text, values))
    const attempt = () => {
      const prelude = () => [...sweepFor(session, tenantId), gateStep(session, tenantId, module)]
      return runGated(session, prelude, { text, values }, want, limits).catch(told(reference, tenantId))
    }
    try {
      const result = await attempt().catch((error) => {
        if (error instanceof StepFailure && isStale(error.cause)) return attempt()
        throw error
      })
      session.lastTenant = tenantId
      return result
    } catch (error) {
      throw safeError(error)
    } finally {
      pool.release(session, tenantId)
    }
  }

  const told = (reference: ModuleReference, tenantId: string) => (error: unknown) => {
    const { slug } = reference
    const pid = error instanceof ModuleSqlError ? error.unstopped : undefined
    if (pid !== undefined) options.onUnstopped?.({ slug, tenantId, role: known(reference).roles.runtime, pid })
    throw error
  }

  return {
    rows: async (module, tenantId, statement) => (await single(module, tenantId, statement, 'rows')).json,
    execute: async (module, tenantId, statement) => (await single(module, tenantId, statement, 'count')).count,
    async transaction(reference, tenantId) {
      const module = known(reference)
      const session = await pool.acquire(module.roles.runtime, tenantId, 0)
      const opening = () => [
        ...sweepFor(session, tenantId),
        command(session, 'begin'),
        gateStep(session, tenantId, module),
      ]
      const run = async (statement: Statement, want: 'rows' | 'count', prelude: () => Step[]) => {
        const text = await admit(module, statement)
        const values = bindValues(statement.values)
        return runGated(session, prelude, { text, values }, want, limits).catch(told(reference, tenantId))
      }
      return startTransaction({
        session,
        opening,
        run,
        limitMs: limits.transactionMs,
        committed: () => {
          session.lastTenant = tenantId
        },
        release: () => pool.release(session, tenantId),
      })
    },
    close: () => pool.close(),
  }
}

type KnownModule = { roles: ModuleRoles; schema: string; gateSecret: string }

/**
 * Before a session serves another tenant: what a statement could leave behind in it, should the guard ever miss one (a
 * cursor that outlives its transaction, a parameter), is gone. In the same round trip.
 */
function sweepFor(session: ModuleConnection, tenantId: string): Step[] {
  if (session.lastTenant === null || session.lastTenant === tenantId) return []
  return ['close all', 'unlisten *', 'reset all'].map((text) => command(session, text))
}

function gateStep(session: ModuleConnection, tenantId: string, module: KnownModule): Step {
  return { prepared: session.prepare(gateText), values: [tenantId, module.gateSecret], maxRows: 0 }
}
