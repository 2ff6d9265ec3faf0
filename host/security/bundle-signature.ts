import { createHash, type KeyObject, sign, verify } from 'node:crypto'

/** What is signed together: the code's hash and the verdicts it got. Source: issue on policy; design.md, publishing. */
export type Attestation = { hash: string; scan: 'clean' | 'warnings'; review: 'approved' }

const statement = ({ hash, scan, review }: Attestation): Buffer =>
  Buffer.from(`partner bundle v1|${hash}|${scan}|${review}`)

export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex')

export const signBundle = (attestation: Attestation, key: KeyObject): Buffer => sign(null, statement(attestation), key)

/** True only where the very code was scanned, reviewed and signed by this platform's publisher. */
export function isSignedBundle(
  code: string,
  attestation: Attestation,
  signature: Buffer | null,
  publicKey: KeyObject,
): boolean {
  if (signature === null || hashCode(code) !== attestation.hash) return false
  return verify(null, statement(attestation), publicKey, signature)
}
