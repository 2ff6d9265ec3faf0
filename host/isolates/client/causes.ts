import type { OpenRequest } from './open-request.ts'

/** Requests that one timer may be work of. */
const mostCauses = 16

/**
 * A message that waits for its step: a request that begins or has ended, the answer to a call of one, a timer; or none, for
 * the rest of what the guest said in a step.
 * `causes`: the requests whose work it is, closed meanwhile or not.
 */
export type Queued = {
  kind: 'begin' | 'answer' | 'end' | 'timer' | 'rest'
  text: string
  causes: readonly OpenRequest[]
}

/**
 * Whether anybody needs a message that waits: a request that is over needs nothing, and its guest is told of its end only if
 * it was told of its beginning. A timer is the isolate's, and so is a rest: whoever's work it was, another may wait for it.
 */
export function isNeeded({ kind, causes: [cause] }: Queued): boolean {
  if (kind === 'timer' || kind === 'rest' || cause === undefined) return true
  return kind === 'end' ? cause.sent : cause.open
}

/** Whose work a step is, each once. Most steps are one message of one request. */
export function causesOf(step: readonly Pick<Queued, 'causes'>[]): readonly OpenRequest[] {
  if (step.length === 1) return step[0]!.causes
  return [...new Set(step.flatMap(({ causes }) => causes))]
}

/**
 * What a timer wakes is work of those in whose step it was set: of who is still open, and of one who is not, for all of
 * them. Timers that set timers would else gather requests for ever. Of more than a few none is remembered: nobody is known
 * to have done it then.
 */
export function rememberedCauses(causes: readonly OpenRequest[]): readonly OpenRequest[] {
  const closed = causes.find(({ open }) => !open)
  const kept = causes.filter((cause) => cause.open || cause === closed)
  return kept.length > mostCauses ? [] : kept
}
