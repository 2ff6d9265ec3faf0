import { createHmac } from 'node:crypto'
import type { RoleSecrets } from '../module-database/provision.ts'

/** Passwords and gate secrets of modules' runtime roles: derived, so every web process knows them and nothing is stored. */
export function runtimeSecrets(runtimeKey: Buffer): RoleSecrets {
  const derive = (purpose: string, role: string) =>
    createHmac('sha256', runtimeKey).update(`${purpose}:${role}`).digest('base64url')
  return {
    passwordOf: (role) => derive('module role', role),
    gateSecretOf: (role) => derive('tenant gate', role),
  }
}
