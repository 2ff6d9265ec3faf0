import type { makeErrors } from './errors.ts'
import type { refuseCodeFromText } from './code-from-text.ts'
import type { GuestLimits } from './guest-limits.ts'
import type { hardenGlobals } from './hardening.ts'
import type { makeOutbox } from './outbox.ts'
import type { capturePrimordials } from './primordials.ts'
import type { Handle, makeRequests } from './requests.ts'
import type { GuestShims } from './shims.ts'
import type { makeTimers } from './timers.ts'

/** What the bootstrap is told by the runner: the limits of every request that comes without its own, and the isolate's. */
export type GuestSettings = GuestLimits & { outboxLength: number; mostTimers: number; seed: readonly number[] }

/** The functions the bootstrap is made of; each is sent as source text of its own. */
export type GuestParts = {
  capturePrimordials: typeof capturePrimordials
  makeErrors: typeof makeErrors
  makeOutbox: typeof makeOutbox
  makeTimers: typeof makeTimers
  makeRequests: typeof makeRequests
  hardenGlobals: typeof hardenGlobals
  refuseCodeFromText: typeof refuseCodeFromText
  shims: GuestShims
}

export type GuestApi = { load: () => void; step: (messages: string) => void; collect: () => string }

/**
 * Runs inside every isolate before the partner's bundle and is sent there as its own source text: it must not refer to
 * anything outside itself. All it uses later is captured now, since the bundle may replace any global or prototype; frames
 * are built from primitives only, so neither `toJSON` nor a setter on a prototype reaches them. What a guest does to
 * itself does not matter: the host trusts nothing that comes out.
 */
export function guestBootstrap(settings: GuestSettings, parts: GuestParts): GuestApi {
  const root = globalThis as unknown as Record<string, unknown>
  const primordials = parts.capturePrimordials()
  const { apply, deleteProperty, GuestError, slice, indexOf } = primordials
  const errors = parts.makeErrors(primordials)
  const outbox = parts.makeOutbox(primordials, settings.outboxLength)
  const timers = parts.makeTimers(primordials, errors, outbox, settings.mostTimers)
  const requests = parts.makeRequests(primordials, errors, outbox, settings, timers)
  let handle: Handle | undefined

  parts.hardenGlobals()
  parts.refuseCodeFromText()
  parts.shims.install({
    log: requests.log,
    startTimer: (run, delay) => timers.start(run, delay, requests.timerOwner(), requests.timersAllowed()),
    clearTimer: timers.clear,
    seed: settings.seed,
  })

  const fire = (timer: number) => {
    try {
      timers.fire(timer)
    } catch (error) {
      requests.log('error', errors.describe(error, 'threw'))
    }
  }
  return {
    load() {
      const module = root.__partner_module__ as { handle?: unknown } | undefined
      deleteProperty(globalThis, '__partner_module__')
      if (typeof module !== 'object' || module === null) throw new GuestError('the bundle exports nothing')
      const taken = module.handle
      if (typeof taken !== 'function') throw new GuestError('the bundle exports no handle')
      handle = (entry, input, call) => apply(taken, module, [entry, input, call])
    },
    step(messages) {
      let at = 0
      while (at < messages.length) {
        const lineEnd = indexOf(messages, '\n', at)
        const space = indexOf(messages, ' ', at)
        const id = +slice(messages, at + 1, space)
        const kind = messages[at]
        let lengthEnd = lineEnd
        let entry = ''
        if (kind === 'c') {
          lengthEnd = indexOf(messages, ' ', space + 1)
          entry = slice(messages, lengthEnd + 1, lineEnd)
        }
        const start = lineEnd + 1
        at = start + +slice(messages, space + 1, lengthEnd)
        const text = slice(messages, start, at)
        if (kind === 'c') requests.begin(handle!, id, entry, text)
        else if (kind === 'r') requests.answer(id, true, text)
        else if (kind === 'e') requests.answer(id, false, text)
        else if (kind === 't') fire(id)
        else if (kind === 'q') requests.limitNext(text)
        else requests.end(id)
      }
    },
    /**
     * What the guest sent since, or the first part of it, after one character: 2 when there is more to collect, else whether
     * it still has open requests.
     */
    collect() {
      timers.tell()
      const text = outbox.take()
      return (outbox.isEmpty() ? (requests.anyOpen() ? '1' : '0') : '2') + text
    },
  }
}
