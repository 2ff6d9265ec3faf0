const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A new id for a row of one's own: a ULID, 26 characters, in the order of time to the millisecond. For `char(26)`. */
export function newId(): string {
  let time = Date.now()
  let text = ''
  for (let index = 0; index < 10; index++) {
    text = alphabet[time % 32]! + text
    time = Math.floor(time / 32)
  }
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += alphabet[byte % 32]!
  return text
}
