import { takeText } from '../../host/isolates/client/guest-text.ts'
import type { GuestAnswer } from '../../host/isolates/client/types.ts'

/** A result as JSON text, whether the guest gave a string or something else. */
export const jsonOf = ({ result }: GuestAnswer & { ok: true }): string =>
  'json' in result ? result.json : JSON.stringify(takeText(result))
