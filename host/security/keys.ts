import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'

/** Keys derived from the host key, one for each purpose, so that each process is given only those it needs. */
export type WebKeys = {
  /** Data at rest, tokens included. */
  data: Buffer
  /** Passwords of the host's two roles and of modules' runtime roles, and the gate's secrets. */
  runtime: Buffer
  /** Seals code caches. */
  codeCache: Buffer
  /** Signs sign-in forms and the like. */
  forms: Buffer
}

export type PublisherKeys = {
  /** Passwords of the roles that own modules' schemas, and the migration runner's secret. */
  owner: Buffer
  /** Signs bundles and certificates. */
  signing: KeyObject
}

const derive = (hostKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', hostKey, '', `partner ${purpose}`, 32))

export function webKeys(hostKey: Buffer): WebKeys {
  return {
    data: derive(hostKey, 'data'),
    runtime: derive(hostKey, 'runtime roles'),
    codeCache: derive(hostKey, 'code cache'),
    forms: derive(hostKey, 'forms'),
  }
}

// An Ed25519 private key in DER is this prefix and the 32 bytes of its seed (RFC 8410).
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function publisherKeys(hostKey: Buffer): PublisherKeys {
  const der = Buffer.concat([ed25519Prefix, derive(hostKey, 'signing')])
  return {
    owner: derive(hostKey, 'owner roles'),
    signing: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  }
}

/** The half of the signing key that everybody may hold, as PEM. */
export function publicSigningKey(hostKey: Buffer): string {
  return createPublicKey(publisherKeys(hostKey).signing).export({ type: 'spki', format: 'pem' }) as string
}
