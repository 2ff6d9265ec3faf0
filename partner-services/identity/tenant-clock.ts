import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'
import { tenantNow } from './tenant-zone.ts'

/** The tenant's clock. Needs no scope. */
export const tenantClock = defineOperation({
  name: 'tenant.clock',
  scope: null,
  summary: "Read the tenant's clock",
  description: '`timezone` is the value to store; `offset` describes the present moment only.',
  http: { method: 'GET', path: '/tenant/clock' },
  input: z.object({}),
  output: z
    .object({
      timezone: z.string().meta({ example: 'Asia/Riyadh' }),
      offset: z.string().meta({ example: '+03:00' }),
      now: z.iso.datetime({ offset: true }).meta({ example: '2026-11-21T10:00:00.000+03:00' }),
    })
    .meta({ id: 'TenantClock' }),
  touched: null,
  async handler({ db, caller, ports }) {
    const now = await tenantNow(db, caller, ports)
    return {
      timezone: now.timeZoneId,
      offset: now.offset,
      now: now.toString({ timeZoneName: 'never', fractionalSecondDigits: 3 }),
    }
  },
})
