import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type Environment = 'live' | 'test'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 40
const checksumLength = 6
const form = /^pit_(live|test)_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/

/** How long the token before a rotation stays valid, in milliseconds. Source: specification, limits. */
export const rotationOverlap = 15 * 60 * 1_000

/** A new token: `pit_live_` or `pit_test_`, 40 base62 characters, 6 of checksum. Source: decisions.md, tokens. */
export function newToken(environment: Environment): string {
  const secret = Array.from({ length: secretLength }, () => base62[randomInt(base62.length)]).join('')
  return `pit_${environment}_${secret}${checksum(secret)}`
}

/** Null for a text that is no token, a typing error included: no look-up is needed to refuse it. */
export function parseToken(text: string): { environment: Environment } | null {
  const match = form.exec(text)
  if (!match || checksum(match[2]!) !== match[3]) return null
  return { environment: match[1] as Environment }
}

/** What is stored and looked up instead of the token. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

function checksum(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
