import type { Locale } from './errors.ts'

/** Who is signed in at the school, resolved on the server from the session. Null where nobody of these types is. */
export type Viewer = {
  type: 'employee' | 'student' | 'guardian'
  /** Equal to the id of the matching record. */
  id: string
  displayName: string
  /** Role keys; empty for students and guardians. */
  roles: string[]
  /** ULID of the tenant. */
  entityId: string
}

export type IntegrationType = 'embedded' | 'external' | 'notification' | 'payment'

/** For whom an operation runs. Built by a door from the host's own records, never from what a guest or a client says. */
export type Caller = {
  /** `id` is the ULID, `number` the small integer that `/whoami` and webhooks show. */
  tenant: { id: string; number: number; sandbox: boolean }
  app: { slug: string; integrationType: IntegrationType }
  installation: { id: string; rateLimited: boolean }
  scopes: ReadonlySet<string>
  viewer: Viewer | null
  locale: Locale
}
