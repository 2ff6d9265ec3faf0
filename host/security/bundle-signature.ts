import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** What is signed together: the code, whose version it is, all that the host believes of it, and the verdicts it got. */
export type Attestation = {
  slug: string
  version: string
  /** SHA-256 of the code, in hex. */
  bundleHash: string
  manifest: unknown
  contributions: unknown
  /** `unscanned` goes with `sandbox` only: code that its author is writing at this moment. */
  scan: 'clean' | 'warnings' | 'unscanned'
  /** `sandbox`: nobody reviewed it, so it runs in sandbox tenants only. */
  review: 'approved' | 'sandbox'
}

const statement = ({ slug, version, bundleHash, manifest, contributions, scan, review }: Attestation): Buffer => {
  const hashes = [manifest, contributions].map((value) => sha256(canonicalJson(value ?? null)))
  return Buffer.from(['partner version v1', slug, version, bundleHash, ...hashes, scan, review].join('|'))
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const hashCode = sha256

export const signVersion = (attestation: Attestation, key: KeyObject): Buffer => sign(null, statement(attestation), key)

/** True only where the very code was scanned, reviewed and signed, as this version, by this platform's publisher. */
export function isSignedVersion(
  code: string,
  attestation: Attestation,
  signature: Buffer | null,
  publicKey: KeyObject,
): boolean {
  if (signature === null || hashCode(code) !== attestation.bundleHash) return false
  return verify(null, statement(attestation), publicKey, signature)
}
