import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Cipher } from '../../partner-services/service/ports.ts'

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM under a key of the tenant. Layout: version byte, nonce, tag, sealed text; bound to tenant and field. */
export function createCipher(dataKey: Buffer): Cipher {
  const keys = new Map<string, Buffer>()
  const keyOf = (tenantId: string) => {
    const known = keys.get(tenantId)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', dataKey, tenantId, 'tenant data', 32))
    keys.set(tenantId, key)
    return key
  }
  return {
    encrypt(tenantId, field, plain) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyOf(tenantId), nonce)
      cipher.setAAD(Buffer.from(`${tenantId}|${field}`))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), sealed])
    },
    decrypt(tenantId, field, sealed) {
      if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes) throw new Error('not a sealed value')
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', keyOf(tenantId), nonce)
      decipher.setAAD(Buffer.from(`${tenantId}|${field}`))
      decipher.setAuthTag(sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes))
      return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes + tagBytes)), decipher.final()])
    },
  }
}
