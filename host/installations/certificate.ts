import { type KeyObject, sign, verify } from 'node:crypto'

/** What an erasure removed and what outlives it. */
export type Certificate = {
  version: 1
  id: string
  tenant_id: number
  app: string
  installation_id: string
  installed_at: string
  uninstalled_at: string
  erased_at: string
  removed: {
    tokens: number
    /** Rows of the platform's tables. */
    tables: Record<string, number>
    /** Rows of the module's own schema. */
    module_tables: Record<string, number>
    files: string[]
  }
  app_data_kept: string | null
  /** What a scan found afterwards: empty, or no certificate is issued. */
  residue: Record<string, number>
  survives: { what: string; why: string }[]
}

/** The certificate as text, and the Ed25519 signature over exactly that text. */
export function signCertificate(certificate: Certificate, key: KeyObject): { text: string; signature: Buffer } {
  const text = JSON.stringify(certificate)
  return { text, signature: sign(null, Buffer.from(text), key) }
}

/** The certificate, if the text was signed by the platform as it stands; null otherwise. */
export function verifyCertificate(text: string, signature: Buffer, publicKey: KeyObject): Certificate | null {
  return verify(null, Buffer.from(text), publicKey, signature) ? (JSON.parse(text) as Certificate) : null
}
