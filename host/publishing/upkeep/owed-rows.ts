import type { Logger } from 'pino'
import { MigrationImportError } from '../migrations/migration-types.ts'
import type { ModuleOfTenant, ModuleRowsContext, moduleRowMethods } from './module-rows.ts'

const everyMinute = 60_000
/** Looking through all installations, and trying again what a school's own rows stand against: both change seldom. */
const anHour = 3_600_000

type OwedRowsContext = Pick<ModuleRowsContext, 'provisioning'> & {
  clock: () => Date
  logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Gives schools the rows of migrations that they are yet to get: the publisher may have been away, or the module in use,
 * while they installed. Looks at all of them at start and every hour, at those that installed within the last hour every
 * minute. Any number of hosts may do so. What fails is tried again.
 */
export function scheduleOwedRows(
  context: OwedRowsContext,
  { applyTenantData }: Pick<ReturnType<typeof moduleRowMethods>, 'applyTenantData'>,
): { idle(): Promise<void>; stop(): Promise<void> } {
  const { provisioning, clock, logger } = context
  const refusedUntil = new Map<string, number>()
  let stopped = false
  let allAgain = 0
  let running = giveAll()
  const timer = setInterval(() => {
    running = running.then(giveAll)
  }, everyMinute)

  async function giveAll(): Promise<void> {
    const now = clock().getTime()
    const isForAll = now >= allAgain
    try {
      for (const one of await owedRows(provisioning, new Date(isForAll ? 0 : now - anHour))) {
        if (stopped) return
        if ((refusedUntil.get(keyOf(one)) ?? 0) <= now) await give(one)
      }
      if (isForAll) allAgain = now + anHour
    } catch (error) {
      logger.warn({ err: error }, 'schools are not looked through for rows that they are yet to get')
    }
  }

  async function give(of: ModuleOfTenant): Promise<void> {
    try {
      const versions = await applyTenantData(of)
      refusedUntil.delete(keyOf(of))
      if (versions.length > 0) logger.info({ ...of, versions }, 'a school got the rows that its installation was owed')
    } catch (error) {
      if (error instanceof MigrationImportError) refusedUntil.set(keyOf(of), clock().getTime() + anHour)
      logger.warn({ err: error, ...of }, 'a school is yet to get the rows of its installation')
    }
  }

  return {
    idle: () => running,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

const keyOf = ({ slug, tenantId }: ModuleOfTenant): string => `${slug} ${tenantId}`

/** Where an app is installed and the data statements of a migration have not run for the school. */
async function owedRows(provisioning: OwedRowsContext['provisioning'], since: Date): Promise<ModuleOfTenant[]> {
  const { rows } = await provisioning.query<ModuleOfTenant>(
    `select distinct a.slug, i.tenant_id as "tenantId" from module_host.history h
      join module_host.modules m on m.schema = h.schema
      join core.apps a on a.slug = m.slug
      join core.installations i on i.app_id = a.id and i.status <> 'uninstalled' and i.installed_at >= $1
      join core.tenants t on t.id = i.tenant_id and h.schema = case when t.sandbox then 's_' else 'm_' end || a.slug
      where h.data <> '[]' and not exists (
        select from module_host.tenant_data d where d.schema = h.schema and d.tenant_id = i.tenant_id and d.version = h.version)`,
    [since],
  )
  return rows
}
