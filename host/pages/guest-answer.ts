import { takeText } from '../isolates/client/guest-text.ts'
import type { GuestText } from '../isolates/client/types.ts'
import type { Lent } from '../isolates/wire/lent-buffers.ts'

/** What a module's route answered, taken apart without parsing what is in it. */
export type GuestPage =
  | { kind: 'html'; status: number; html: string }
  | { kind: 'json'; status: number; json: string }
  /** JSON from `start` on, as it came: released by whoever sends it. */
  | { kind: 'longJson'; status: number; lent: Lent; start: number }
  | { kind: 'redirect'; path: string }
  | { kind: 'not_found' }

const head = /^([hj])([2-5]\d\d)\n/
const headLength = 5

/** Reads the SDK's form: `h<status>\n<html>`, `j<status>\n<json>`, `r<path>`, `n`. Null for anything else. */
export function readGuestAnswer(given: GuestText): GuestPage | null {
  if ('lent' in given) {
    const found = head.exec(given.lent.bytes.toString('latin1', 0, headLength))
    if (found?.[1] === 'j') return { kind: 'longJson', status: Number(found[2]), lent: given.lent, start: headLength }
  }
  const text = takeText(given)
  if (text === 'n') return { kind: 'not_found' }
  if (text.startsWith('r')) return { kind: 'redirect', path: text.slice(1) }
  const found = head.exec(text.slice(0, headLength))
  if (!found) return null
  const status = Number(found[2])
  return found[1] === 'h'
    ? { kind: 'html', status, html: text.slice(headLength) }
    : { kind: 'json', status, json: text.slice(headLength) }
}
