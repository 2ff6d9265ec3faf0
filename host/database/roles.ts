import { createHash, createHmac } from 'node:crypto'

/** The two roles the host's processes connect with. Neither is a superuser, neither bypasses row-level security. */
export type CoreRoles = { core: string; system: string }

/**
 * Roles belong to the whole cluster, so names end in 8 hex digits of the database's name,
 * unless the database is the embedded one, which nobody else uses. Source: design.md, databases.
 */
export function roleSuffix(database: string, embedded: boolean): string {
  return embedded ? '' : `_${createHash('sha256').update(database).digest('hex').slice(0, 8)}`
}

export function coreRoles(suffix: string): CoreRoles {
  return { core: `partner_core${suffix}`, system: `partner_system${suffix}` }
}

/** Passwords of roles are derived from the host's key for them: nothing to store, the same on every host of one database. */
export function rolePassword(runtimeKey: Buffer, role: string): string {
  return createHmac('sha256', runtimeKey).update(`role password:${role}`).digest('base64url')
}
