import { causesOf, isNeeded, type Queued } from './causes.ts'
import type { OpenRequest } from './open-request.ts'

/** A step should not last longer than this, so that many cheap messages share one and a few dear ones do not. */
const stepTargetUs = 50_000
const maxStepMessages = 64
const maxStepText = 4 * 1_048_576
/** Steps under way: one that runs, and one behind it that the runner has at hand. */
const mostUnderWay = 2

/** What waits to be sent to one isolate, and the steps that it has not acknowledged yet. */
export type StepQueue = ReturnType<typeof createStepQueue>

export function createStepQueue() {
  let waiting: Queued[] = []
  /** A request has been closed since those who wait were last gone through. */
  let isStale = false
  const underWay: Queued[][] = []
  let averageUs = 1_000

  /** What gathers while a runner is busy may be for nobody by the time it is free: it would hold up those who still wait. */
  const forgetUnneeded = () => {
    if (!isStale) return
    isStale = false
    if (waiting.length > 0) waiting = waiting.filter(isNeeded)
  }
  const next = (): Queued[] => {
    const limit = Math.min(maxStepMessages, Math.max(1, Math.floor(stepTargetUs / averageUs)))
    let count = 0
    let length = 0
    while (count < waiting.length && count < limit && length < maxStepText) {
      const queued = waiting[count]!
      const alone = queued.kind === 'rest' || queued.causes.some((cause) => cause.alone)
      if (alone && count > 0) break
      length += queued.text.length
      count++
      if (alone) break
    }
    const step = waiting.splice(0, count)
    for (const { kind, causes } of step) if (kind === 'begin') causes[0]!.sent = true
    return step
  }

  return {
    add: (message: Queued) => void waiting.push(message),
    /** What the guest said in the step of these comes in a step of its own, before it is given cause to say more. */
    addRest: (causes: readonly OpenRequest[]) => void waiting.unshift({ kind: 'rest', text: '', causes }),
    /** A request is over: what waits for it is not needed any more. */
    requestClosed() {
      isStale = true
    },
    clear() {
      waiting = []
    },
    hasWaiting: () => waiting.length > 0,
    isEmpty: () => waiting.length === 0 && underWay.length === 0,
    /** The text of the next step, or undefined when none is due: two at a time are under way, the rest gathers. */
    take(): string | undefined {
      if (underWay.length >= mostUnderWay) return undefined
      forgetUnneeded()
      if (waiting.length === 0) return undefined
      const step = next()
      underWay.push(step)
      return step.length === 1 ? step[0]!.text : step.map((queued) => queued.text).join('')
    },
    /** Ends the step that was sent first, which took so long. Answers with whose it was; undefined where there was none. */
    acknowledge(us: number): readonly OpenRequest[] | undefined {
      const step = underWay.shift()
      if (step === undefined) return undefined
      averageUs = averageUs * 0.7 + (us / step.length) * 0.3
      return causesOf(step)
    },
    /** Whose step runs, closed meanwhile or not. */
    running: (): readonly OpenRequest[] => causesOf(underWay[0] ?? []),
  }
}
