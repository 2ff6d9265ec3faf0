import { guestBootstrap } from './bootstrap.ts'
import { makeGuestCrypto } from './crypto.ts'
import { guestShims } from './shims.ts'
import { makeTextCoders } from './text-coders.ts'
import { makeGuestUrl } from './url.ts'

/**
 * The bootstrap as one script. Its functions are TypeScript like the rest, type-checked and stripped by Node; their source
 * text is what runs in the isolate. The script's value is a function from settings (JSON text) to the guest's three doors.
 */
export function guestSource(): string {
  const makers = `{ makeCrypto: ${makeGuestCrypto}, makeTextCoders: ${makeTextCoders}, makeUrl: ${makeGuestUrl} }`
  return `'use strict'; (settings) => (${guestBootstrap})(JSON.parse(settings), (${guestShims})(${makers}))`
}
