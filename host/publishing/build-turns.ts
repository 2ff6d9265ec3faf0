import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Actor } from '../lifecycle/actor.ts'
import { inTurns } from '../processes/at-most.ts'

/** Partners' builds at one time: a builder may take 1.5 GB. */
const buildsAtOnce = 2
/** A partner's, that under way among them: the source of each is held meanwhile, and each may take minutes. */
const mostOfPartner = 5
/** Seconds. */
const retryAfter = 10

/** Has a source built: of each partner one at a time. Throws `rate_limited` where too many of theirs wait already. */
export type BuildTurns = <Result>(actor: Actor, build: () => Promise<Result>) => Promise<Result>

/** The operator's, the samples' among them, are not counted: who reviews waits for no partner. */
export function createBuildTurns(): BuildTurns {
  const inTurn = inTurns(buildsAtOnce)
  const asked = new Map<string, number>()
  return async (actor, build) => {
    if (actor.kind === 'operator') return build()
    const { partnerId } = actor
    const before = asked.get(partnerId) ?? 0
    if (before >= mostOfPartner) throw new ServiceError('rate_limited', { retryAfter })
    asked.set(partnerId, before + 1)
    try {
      return await inTurn(partnerId, build)
    } finally {
      const left = asked.get(partnerId)! - 1
      if (left > 0) asked.set(partnerId, left)
      else asked.delete(partnerId)
    }
  }
}
