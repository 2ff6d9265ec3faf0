import type { GuestText } from './types.ts'

/** A string that a handler answered with, as text. What was lent is given back. */
export function takeText(given: GuestText): string {
  if ('text' in given) return given.text
  const text = given.lent.bytes.toString('utf8')
  given.lent.release()
  return text
}
