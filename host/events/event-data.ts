import type { Cipher } from '../../partner-services/service/ports.ts'

/** An event's data is sealed for its own row: moved to another event or tenant it cannot be read. */
const fieldOf = (eventId: string) => `event:${eventId}`

export function sealEventData(cipher: Cipher, tenantId: string, eventId: string, data: object): Buffer {
  return cipher.encrypt(tenantId, fieldOf(eventId), Buffer.from(JSON.stringify(data)))
}

/** The data as the JSON text it was sealed as. */
export function openEventData(cipher: Cipher, tenantId: string, eventId: string, sealed: Buffer): string {
  return cipher.decrypt(tenantId, fieldOf(eventId), sealed).toString()
}
