/** What a module's route answered, taken apart without parsing what is in it. */
export type GuestPage =
  | { kind: 'html'; status: number; html: string }
  | { kind: 'json'; status: number; json: string }
  | { kind: 'redirect'; path: string }
  | { kind: 'not_found' }

const head = /^([hj])([2-5]\d\d)\n/

/** Reads the SDK's form: `h<status>\n<html>`, `j<status>\n<json>`, `r<path>`, `n`. Null for anything else. */
export function readGuestAnswer(text: string): GuestPage | null {
  if (text === 'n') return { kind: 'not_found' }
  if (text.startsWith('r')) return { kind: 'redirect', path: text.slice(1) }
  const found = head.exec(text.slice(0, 5))
  if (!found) return null
  const status = Number(found[2])
  return found[1] === 'h'
    ? { kind: 'html', status, html: text.slice(5) }
    : { kind: 'json', status, json: text.slice(5) }
}
