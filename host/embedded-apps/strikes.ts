import type pg from 'pg'
import type { Installation } from '../isolates/client/types.ts'

/** Strikes of one installation within this time disable it, in milliseconds; so many tenants disable the module. */
const windowMs = 600_000
const strikesToDisable = 3
const tenantsToDisable = 3

/** Begins the reason of whatever was stopped here: only that is lifted, never what a school or a review disabled. */
const stopped = 'stopped after'

/**
 * Counts how often an installation cost its runner, in the database: whichever web process saw it. Three within ten
 * minutes disable the installation, three such tenants the module, until an operator lifts it. The change raises the
 * epoch, so that every web process acts on it at once.
 */
export function createStrikes(system: pg.Pool, clock: () => Date, onError: (error: unknown) => void) {
  async function count({ id, tenantId }: Installation, reason: string): Promise<void> {
    const now = clock()
    await system.query('insert into core.strikes (tenant_id, installation_id, at, reason) values ($1, $2, $3, $4)', [
      tenantId,
      id,
      now,
      reason,
    ])
    const { rows } = await system.query<{ strikes: number }>(
      `select count(*)::int as strikes from core.strikes
        where tenant_id = $1 and installation_id = $2 and at > $3 and at <= $4`,
      [tenantId, id, new Date(now.getTime() - windowMs), now],
    )
    if (rows[0]!.strikes < strikesToDisable) return
    await system.query(
      `update core.installations set status = 'disabled', disabled_reason = $3
        where tenant_id = $1 and id = $2 and status = 'active'`,
      [tenantId, id, `${stopped} three failures in ten minutes`],
    )
    await system.query(
      `update core.apps a set disabled_reason = $3
        where a.id = (select app_id from core.installations where id = $1) and a.disabled_reason is null
          and (select count(*) from core.installations i
            where i.app_id = a.id and i.status = 'disabled' and starts_with(i.disabled_reason, $4)) >= $2`,
      [id, tenantsToDisable, `${stopped} failures at three schools`, stopped],
    )
  }

  return {
    record: (installation: Installation, reason: string): void => void count(installation, reason).catch(onError),
  }
}

export type Lifted = { app: boolean; tenants: string[] }

/** Lets a stopped app run again: at one school, or everywhere where no school is named. Its strikes are forgotten. */
export async function liftStrikes(
  system: Pick<pg.ClientBase, 'query'>,
  { slug, tenantId }: { slug: string; tenantId: string | null },
): Promise<Lifted> {
  const { rows } = await system.query<Lifted>(
    `with lifted as (
      update core.installations i set status = 'active', disabled_reason = null from core.apps a
        where a.id = i.app_id and a.slug = $1 and ($2::text is null or i.tenant_id = $2)
          and i.status = 'disabled' and starts_with(i.disabled_reason, $3)
        returning i.tenant_id, i.id),
    forgotten as (
      delete from core.strikes s using core.installations i, core.apps a
        where a.id = i.app_id and a.slug = $1 and ($2::text is null or i.tenant_id = $2)
          and s.tenant_id = i.tenant_id and s.installation_id = i.id),
    app as (
      update core.apps set disabled_reason = null
        where slug = $1 and $2::text is null and starts_with(disabled_reason, $3) returning id)
    select exists (select from app) as app, coalesce((select array_agg(tenant_id) from lifted), '{}') as tenants`,
    [slug, tenantId, stopped],
  )
  return rows[0]!
}
