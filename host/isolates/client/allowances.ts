import { guestLimits } from '../guest/guest-limits.ts'
import { type Limits, type RequestLimits, resolveLimits } from '../limits.ts'
import { limitsMessage } from '../wire/messages.ts'
import type { GuestRequest } from './types.ts'

/** What a request may use, and how its guest is told where that is not what every other request may. */
export type Allowance = { readonly limits: RequestLimits; readonly preamble: string }

/** Resolves limits once for each object that holds them: whoever calls often keeps the object. */
export function createAllowances(common: Limits): (own: GuestRequest['limits']) => Allowance {
  const usual: Allowance = { limits: common, preamble: '' }
  const resolved = new WeakMap<object, Allowance>()
  return (own) => {
    if (own === undefined) return usual
    const known = resolved.get(own)
    if (known !== undefined) return known
    const limits = resolveLimits(own, common)
    const allowance = { limits, preamble: limitsMessage(JSON.stringify(guestLimits(limits))) }
    resolved.set(own, allowance)
    return allowance
  }
}
