import type { makeTextCoders } from './text-coders.ts'
import type { makeTimerGlobals, TimerHost } from './timer-globals.ts'
import type { makeGuestUrl } from './url.ts'
import type { makeHostReader } from './url-host.ts'
import type { makeSearchParams } from './url-search-params.ts'

/** What the shims may use of the bootstrap. */
export type ShimHost = TimerHost & {
  log: (level: string, text: string) => void
  seed: readonly number[]
}

export type GuestShims = { install: (host: ShimHost) => void }

/**
 * The globals a module has beside the language: `console`, timers, `queueMicrotask`, `crypto`, `TextEncoder`,
 * `TextDecoder`, `URL` and `URLSearchParams`. Sent into the isolate as source text, so it refers to nothing outside itself.
 * The larger ones are made when first used: most modules never touch them, and each costs heap in every isolate.
 */
export function guestShims(makers: {
  makeCrypto: (seed: readonly number[]) => object
  makeTimerGlobals: typeof makeTimerGlobals
  makeTextCoders: typeof makeTextCoders
  makeHostReader: typeof makeHostReader
  makeSearchParams: typeof makeSearchParams
  makeUrl: typeof makeGuestUrl
}): GuestShims {
  const { defineProperty } = Reflect
  const { stringify } = JSON
  const define = (name: string, value: unknown) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })

  /** A global made at first use, replaced by its value then. */
  const defineLazily = (names: readonly string[], make: () => Record<string, unknown>) => {
    for (const name of names) {
      defineProperty(globalThis, name, {
        configurable: true,
        enumerable: false,
        get() {
          const made = make()
          for (const other of names) define(other, made[other])
          return made[name]
        },
        set(value: unknown) {
          define(name, value)
        },
      })
    }
  }

  const shown = (value: unknown): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'object' && value !== null) {
      const { stack } = value as { stack?: unknown }
      if (typeof stack === 'string') return stack
      try {
        return stringify(value) ?? '[object]'
      } catch {
        return '[object]'
      }
    }
    return String(value)
  }

  /** What it throws is a rejection that nobody handles. */
  const runInItsTurn = async (run: () => void) => {
    await undefined
    run()
  }

  return {
    install(host) {
      const logger =
        (level: string) =>
        (...values: unknown[]) => {
          let text = ''
          for (let i = 0; i < values.length; i++) text += `${i === 0 ? '' : ' '}${shown(values[i])}`
          host.log(level, text)
        }
      const info = logger('info')
      define('console', {
        log: info,
        info,
        debug: logger('debug'),
        trace: logger('debug'),
        warn: logger('warn'),
        error: logger('error'),
      })
      const { setTimeout, clearTimeout, setInterval, clearInterval } = makers.makeTimerGlobals(host)
      define('setTimeout', setTimeout)
      define('clearTimeout', clearTimeout)
      define('setInterval', setInterval)
      define('clearInterval', clearInterval)
      define('queueMicrotask', (run: () => void) => {
        if (typeof run !== 'function') throw new TypeError('queueMicrotask takes a function')
        runInItsTurn(run)
      })
      defineLazily(['crypto'], () => ({ crypto: makers.makeCrypto(host.seed) }))
      defineLazily(['TextEncoder', 'TextDecoder'], makers.makeTextCoders)
      defineLazily(['URL', 'URLSearchParams'], () => makers.makeUrl(makers))
    },
  }
}
