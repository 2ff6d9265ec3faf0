import type pg from 'pg'
import type { EndedInstallation } from '../../installations/erase.ts'
import { inTurns } from '../../processes/at-most.ts'
import { type TargetContext, importTarget } from '../migrations/import-target.ts'
import { eraseModuleRows } from '../migrations/erase-rows.ts'
import { applyTenantData, type TenantDataOptions } from '../migrations/tenant-data.ts'

export type ModuleRowsContext = TargetContext & { provisioning: pg.Pool; system: pg.Pool }

export type ModuleOfTenant = { slug: string; tenantId: string }

/** Apps whose schools are given rows at one time. */
const rowsAtOnce = 4

/**
 * What the other processes ask of the publisher when a school installs an app or its hold is over: only the publisher
 * can sign in as a schema's owner. An app without a schema has no rows: nothing happens.
 */
export function moduleRowMethods(context: ModuleRowsContext) {
  const inTurn = inTurns(rowsAtOnce)
  const waiting = new Map<string, Promise<string[]>>()

  async function giveRows(of: ModuleOfTenant, begin: () => void): Promise<string[]> {
    begin()
    const options = await tenantData(context, of)
    return options ? applyTenantData(options) : []
  }
  return {
    /**
     * The rows that migrations gave to the schools before. Safe to repeat: who asks for a school that waits already waits
     * with it. Answers the versions carried out now.
     */
    async applyTenantData(of: ModuleOfTenant): Promise<string[]> {
      const key = JSON.stringify([of.slug, of.tenantId])
      const asked = waiting.get(key)
      if (asked) return asked
      const given = Promise.resolve().then(() => inTurn(of.slug, () => giveRows(of, () => waiting.delete(key))))
      waiting.set(key, given)
      return given
    },
    /** Erases the school's rows in the module's schema. Answers how many of each table. A repeat answers the same. */
    eraseModuleRows: async (of: EndedInstallation): Promise<Record<string, number>> => {
      const options = await tenantData(context, of)
      return options ? eraseModuleRows({ ...options, ...of }) : {}
    },
  }
}

async function tenantData(context: ModuleRowsContext, of: ModuleOfTenant): Promise<TenantDataOptions | null> {
  const { rows } = await context.system.query<{ sandbox: boolean }>('select sandbox from core.tenants where id = $1', [
    of.tenantId,
  ])
  if (!rows[0]) throw new Error('no such tenant')
  const kind = rows[0].sandbox ? 'sandbox' : 'live'
  const { rowCount } = await context.provisioning.query('select from module_host.modules where slug = $1', [of.slug])
  return rowCount ? { ...importTarget(context, of.slug), kind, tenantId: of.tenantId } : null
}
