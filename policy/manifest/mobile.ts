import { z } from 'zod'
import { httpsOrigin, httpsUrl, permissionKey } from './fields.ts'

const inMobile = z
  .string()
  .max(200)
  .refine(
    (entry) => /^mobile\/[\w./-]+$/.test(entry) && !entry.split('/').includes('..'),
    'a path inside mobile/, without scheme and without ..',
  )

const embedded = z.strictObject({
  mode: z.literal('embedded'),
  entry: inMobile,
  required_scope: permissionKey.optional(),
})
const external = z.strictObject({
  mode: z.literal('external'),
  entry: httpsUrl,
  allowed_origins: z.array(httpsOrigin).max(20).default([]),
  required_scope: permissionKey.optional(),
  pass_role_claim: z.boolean().default(false),
})

/** Mobile screens: files of `mobile/`, or somebody's HTTPS page. Origins and the role claim belong to the latter only. */
export const mobileService = z.discriminatedUnion('mode', [embedded, external])
