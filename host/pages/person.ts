import { formToken } from '../sessions/form-token.ts'
import type { Session } from '../sessions/session-store.ts'

/** Whom the platform's bar names, and what their sign-out button needs. */
export type Person = { name: string; school: string; signOutToken: string }

export const personOf = ({ account, tenant, csrfSecret }: Session): Person => ({
  name: account.displayName,
  school: tenant.name,
  signOutToken: formToken(csrfSecret, '/sign-out'),
})
