import { createHash } from 'node:crypto'

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The id of the record that stands for a `sourcedId`: the same at every import, so that importing again changes records
 * instead of adding them. Shaped as a ULID; its 128 bits come from a hash.
 */
export function recordIdOf(tenantId: string, kind: string, sourcedId: string): string {
  let bits = BigInt(`0x${createHash('sha256').update(`${tenantId}|${kind}|${sourcedId}`).digest('hex').slice(0, 32)}`)
  let id = ''
  for (let i = 0; i < 26; i++) {
    id = crockford[Number(bits & 31n)] + id
    bits >>= 5n
  }
  return id
}
