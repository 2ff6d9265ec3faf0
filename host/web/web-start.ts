import type { SharedSettings } from '../config.ts'
import type { CoreConnection } from '../database/prepare.ts'
import type { WebKeys } from '../security/keys.ts'

/** What the supervisor starts a web process with. No provisioning credential and no signing key is in it. */
export type WebStart = {
  settings: SharedSettings
  connection: CoreConnection
  keys: WebKeys
  /** PEM of the key that bundles are signed with. */
  publicKey: string
  /** SHA-256, in hex, of the operator's token. */
  operatorTokenHash: string
  embedded: boolean
}
