import type pg from 'pg'
import type { Installation } from '../isolates/client/types.ts'

/** Strikes of one installation within this time disable it, in milliseconds; so many tenants disable the module. */
const windowMs = 600_000
const strikesToDisable = 3
const tenantsToDisable = 3

/**
 * Counts how often an installation cost its runner, in the database: whichever web process saw it. Three within ten
 * minutes disable the installation, three such tenants the module, until an operator lifts it.
 */
export function createStrikes(system: pg.Pool, clock: () => Date, onError: (error: unknown) => void) {
  // What this process knows at once; the others learn it from the installation's record.
  const disabled = new Set<string>()

  async function count({ id, tenantId }: Installation, reason: string): Promise<void> {
    const now = clock()
    await system.query('insert into core.strikes (tenant_id, installation_id, at, reason) values ($1, $2, $3, $4)', [
      tenantId,
      id,
      now,
      reason,
    ])
    const { rows } = await system.query<{ strikes: number }>(
      'select count(*)::int as strikes from core.strikes where tenant_id = $1 and installation_id = $2 and at > $3',
      [tenantId, id, new Date(now.getTime() - windowMs)],
    )
    if (rows[0]!.strikes < strikesToDisable) return
    disabled.add(id)
    await system.query(
      `update core.installations set status = 'disabled', disabled_reason = 'stopped after three failures in ten minutes'
        where tenant_id = $1 and id = $2 and status = 'active'`,
      [tenantId, id],
    )
    await system.query(
      `update core.apps a set disabled_reason = 'stopped after failures at three schools'
        where a.id = (select app_id from core.installations where id = $1) and a.disabled_reason is null
          and (select count(*) from core.installations i where i.app_id = a.id and i.disabled_reason like 'stopped after%') >= $2`,
      [id, tenantsToDisable],
    )
  }

  return {
    record: (installation: Installation, reason: string): void => void count(installation, reason).catch(onError),
    isDisabled: (installation: Installation): boolean => disabled.has(installation.id),
    /** An operator lifted it. */
    lift: (installationId: string): void => void disabled.delete(installationId),
  }
}
