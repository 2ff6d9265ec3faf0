import { guestBootstrap } from './bootstrap.ts'
import { refuseCodeFromText } from './code-from-text.ts'
import { makeGuestCrypto } from './crypto.ts'
import { makeErrors } from './errors.ts'
import { hardenGlobals } from './hardening.ts'
import { makeOutbox } from './outbox.ts'
import { capturePrimordials } from './primordials.ts'
import { makeRequests } from './requests.ts'
import { guestShims } from './shims.ts'
import { makeTextCoders } from './text-coders.ts'
import { makeTimerGlobals } from './timer-globals.ts'
import { makeTimers } from './timers.ts'
import { makeGuestUrl } from './url.ts'
import { makeHostReader } from './url-host.ts'
import { makeSearchParams } from './url-search-params.ts'

/** Functions as the properties of one object literal, each by its own source text. */
const sourceOf = (functions: Record<string, object>) =>
  `{ ${Object.entries(functions)
    .map(([name, part]) => `${name}: ${part}`)
    .join(', ')} }`

/**
 * The bootstrap as one script. Its functions are TypeScript like the rest, type-checked and stripped by Node; their source
 * text is what runs in the isolate, so each may refer to its arguments and the language only (a test sees to it). The
 * script's value is a function from settings (JSON text) to the guest's three doors.
 */
export function guestSource(): string {
  const parts = sourceOf({
    capturePrimordials,
    makeErrors,
    makeOutbox,
    makeTimers,
    makeRequests,
    hardenGlobals,
    refuseCodeFromText,
  })
  const makers = sourceOf({
    makeCrypto: makeGuestCrypto,
    makeTimerGlobals,
    makeTextCoders,
    makeHostReader,
    makeSearchParams,
    makeUrl: makeGuestUrl,
  })
  return `'use strict'; (settings) => (${guestBootstrap})(
    JSON.parse(settings), { ...${parts}, shims: (${guestShims})(${makers}) })`
}
