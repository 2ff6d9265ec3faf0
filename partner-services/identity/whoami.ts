import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'

/** Whose token this is. Needs no scope. `tenant_id` is the tenant's number, as specified. */
export const whoami = defineOperation({
  name: 'identity.whoami',
  scope: null,
  summary: 'Identify the installation',
  http: { method: 'GET', path: '/whoami' },
  input: z.object({}),
  output: z.object({ tenant_id: z.int(), module: z.string(), scopes: z.array(z.string()) }),
  touched: null,
  async handler({ caller }) {
    return { tenant_id: caller.tenant.number, module: caller.app.slug, scopes: [...caller.scopes] }
  },
})
