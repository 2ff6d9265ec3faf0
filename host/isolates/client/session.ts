import type { GuestMessage } from '../wire/messages.ts'
import {
  callMessage,
  endMessage,
  errorMessage,
  isPart,
  readGuestMessages,
  readOneText,
  resultMessage,
  timerMessage,
} from '../wire/messages.ts'
import { mostTimers } from '../limits.ts'
import type { Lent } from '../wire/lent-buffers.ts'
import { ownText } from '../wire/own-text.ts'
import { errorEnvelope, hasJsonForm, readFailure, toldFailure } from './answer-form.ts'
import { type Queued, rememberedCauses } from './causes.ts'
import type { Deadlines } from './deadlines.ts'
import { failed, log, type OpenRequest, type Outcome, settled, type Standing } from './open-request.ts'
import { createSlots } from './slots.ts'
import { createStepQueue } from './step-queue.ts'
import type { Installation } from './types.ts'

const maxServiceResult = 8 * 1_048_576
/** Parts of a frame of more bytes are copied when they are kept. */
const largeFrame = 65_536

/** What a session needs of its connection. */
export type SessionHost = {
  /** Asks for a flush after everything that is ready now has run. */
  dirty: (session: Session) => void
  /** Tells the runner to drop this isolate; the session is no longer known. */
  drop: (session: Session) => void
  deadlines: Deadlines
}

/** A request that no runner had time to begin is no fault of its module. */
const tooLate = ({ begun }: OpenRequest): Outcome =>
  !begun ? failed('runner_lost', 'no runner had time for it') : failed('timeout', 'no answer in time')

/** Thrown for what only a lying runner sends. */
export class LyingRunner extends Error {}

/**
 * One isolate on one runner, seen from the web process: its open requests, what waits to be sent and which steps are not
 * acknowledged yet. It believes nothing a runner says beyond what a request of its own allows.
 */
export type Session = ReturnType<typeof createSession>

export function createSession(host: SessionHost, key: string, handle: number, installation: Installation) {
  const requests = createSlots<OpenRequest>()
  const timers = new Map<number, NodeJS.Timeout>()
  const steps = createStepQueue()
  let frameBytes = 0
  let loaded = false
  let gone = false
  let bundleHash: string | undefined

  const push = (kind: Queued['kind'], text: string, causes: readonly OpenRequest[]) => {
    steps.add({ kind, text, causes })
    host.dirty(session)
  }
  const close = (open: OpenRequest, outcome: Outcome) => {
    if (!open.open) return
    open.open = false
    open.answered = outcome.kind === 'done'
    steps.requestClosed()
    host.deadlines.forget(open.watch)
    requests.delete(open.id)
    if (requests.size() === 0) clearTimers()
    const { settle } = open
    open.settle = settled
    settle(outcome)
  }
  const clearTimers = () => {
    for (const handle of timers.values()) clearTimeout(handle)
    timers.clear()
  }
  /** Ends a request at the host's will and tells the guest. */
  const end = (open: OpenRequest, outcome: Outcome) => {
    if (!open.open) return
    push('end', endMessage(open.id), [open])
    close(open, outcome)
  }

  const own = (text: string) => (frameBytes > largeFrame ? ownText(text) : text)
  const serve = (open: OpenRequest, call: number, path: string, args: string) => {
    const { limits } = open
    // No character takes more than three bytes: counting is for long ones only.
    if (args.length * 3 > limits.argumentBytes && Buffer.byteLength(args) > limits.argumentBytes) {
      return end(open, failed('argument_too_large', `arguments of more than ${limits.argumentBytes} bytes`))
    }
    if (++open.totalCalls > limits.totalCalls || ++open.pendingCalls > limits.pendingCalls) {
      return end(
        open,
        failed('too_many_calls', `more than ${limits.pendingCalls} at once or ${limits.totalCalls} in all`),
      )
    }
    const reply = (message: string) => {
      open.pendingCalls--
      if (open.open && !gone) push('answer', message, [open])
    }
    const told = own(path)
    open.request.serve(told, own(args)).then(
      (result) => {
        if (typeof result === 'string' && result.length <= maxServiceResult) reply(resultMessage(call, result))
        else
          reply(
            errorMessage(call, '{"code":"result_too_large","status":500,"message":"the service result is too large"}'),
          )
      },
      (error) => {
        const envelope = errorEnvelope(error)
        reply(errorMessage(call, envelope))
        // Its module hears of it no more, and its user was told that all went well.
        if (open.answered) log(open, 'error', `a call that nobody waited for failed: ${toldFailure(told, envelope)}`)
      },
    )
  }
  const finish = (open: OpenRequest, { kind, text }: GuestMessage & { kind: 'done' | 'text' }) => {
    // The frame's bytes bound its text's: counting is for frames over the limit only.
    if (frameBytes > open.limits.resultBytes && Buffer.byteLength(text) > open.limits.resultBytes) {
      return close(open, failed('result_too_large', `a result of more than ${open.limits.resultBytes} bytes`))
    }
    if (kind === 'text') return close(open, { kind: 'done', result: { text: own(text) } })
    if (!hasJsonForm(text)) throw new LyingRunner('a result that is no JSON')
    close(open, { kind: 'done', result: { json: own(text) } })
  }
  const startTimer = (timer: number, ms: number, causes: readonly OpenRequest[]) => {
    if (timers.size >= mostTimers || timers.has(timer) || requests.size() === 0) return
    const remembered = rememberedCauses(causes)
    const handle = setTimeout(
      () => {
        timers.delete(timer)
        if (!gone) push('timer', timerMessage(timer), remembered)
      },
      Math.min(ms, 60_000),
    )
    timers.set(timer, handle)
  }
  const stopTimer = (timer: number) => {
    clearTimeout(timers.get(timer))
    timers.delete(timer)
  }
  const take = (message: GuestMessage, causes: readonly OpenRequest[]) => {
    if (message.kind === 'timer') return startTimer(message.timer, message.ms, causes)
    if (message.kind === 'timerCleared') return stopTimer(message.timer)
    // A log line names the request that ran last: with several open it may be a sibling of the same module.
    const open = requests.get(message.request)
    if (open === undefined) {
      if (message.request > requests.last()) throw new LyingRunner('a message of a request that never was')
      return
    }
    if (message.kind === 'serviceCall') serve(open, message.call, message.path, message.args)
    else if (message.kind === 'log') log(open, message.level, message.text)
    else if (message.kind === 'done' || message.kind === 'text') finish(open, message)
    else {
      const failure = readFailure(message.text)
      if (failure === undefined) throw new LyingRunner('a failure out of form')
      close(open, { kind: 'failed', failure })
    }
  }
  /** Shares a step's CPU time among the requests it worked for, as near as a shared run can be told apart. */
  const charge = (causes: readonly OpenRequest[], us: number) => {
    let named = 0
    for (const { open } of causes) if (open) named++
    const share = us / (named || requests.size())
    const pay = (open: OpenRequest) => {
      open.cpuUs += share
      open.begun = true
    }
    if (named === 0) requests.forEach(pay)
    else for (const cause of causes) if (cause.open) pay(cause)
  }
  const endOverspent = () => {
    const open = requests.find(({ cpuUs, limits }) => cpuUs > limits.cpuMs * 1_000)
    if (open === undefined) return
    close(open, failed('cpu', `more than ${open.limits.cpuMs} ms of CPU time`))
    abandon('another request of this module used up its CPU time', () => 'innocent')
  }
  /** Nothing can wake these requests any more: saying so now beats holding them until their deadline. */
  const endStuck = () => {
    if (gone || requests.size() === 0 || !steps.isEmpty() || timers.size > 0) return
    for (const open of requests.values()) if (open.pendingCalls > 0) return
    for (const open of requests.values()) end(open, failed('never_settled', 'the handler waits for nothing'))
  }
  /** Drops the isolate; every request still open is lost, and may be tried again elsewhere while it has time. */
  const abandon = (reason: string, standingOf: (open: OpenRequest) => Standing = () => 'unlucky') => {
    if (gone) return
    gone = true
    clearTimers()
    steps.clear()
    host.drop(session)
    const now = performance.now()
    for (const open of requests.values()) {
      // The runner may see before this process does that its time is up.
      if (open.deadline <= now) close(open, tooLate(open))
      else close(open, { kind: 'lost', reason, standing: standingOf(open) })
    }
  }
  /** Answers with whose step it was. */
  const acknowledge = (us: number): readonly OpenRequest[] => {
    const causes = steps.acknowledge(us)
    if (causes === undefined) throw new LyingRunner('a step that was not asked for')
    charge(causes, us)
    return causes
  }
  const afterStep = () => {
    endOverspent()
    if (steps.hasWaiting()) host.dirty(session)
    else endStuck()
  }

  const session = {
    key,
    handle,
    installation,
    requests,
    isLoaded: () => loaded,
    isGone: () => gone,
    /** Of the bundle that its isolate was sent; undefined until then. */
    bundleHash: () => bundleHash,
    setBundleHash(hash: string) {
      bundleHash = hash
    },
    nextRequestId: requests.next,
    begin(open: OpenRequest) {
      requests.set(open.id, open)
      open.watch = host.deadlines.watch(open.deadline, () => end(open, tooLate(open)))
      push('begin', open.preamble + callMessage(open.id, open.request.entry, open.request.input), [open])
    },
    /** The text of the next step, or undefined when none is due. */
    takeStep(): string | undefined {
      if (bundleHash === undefined || gone) return undefined
      const text = steps.take()
      if (text === undefined) endStuck()
      return text
    },
    /** How long the most patient of its open requests still waits, in whole ms. */
    awaitedMs(): number {
      let last = 0
      requests.forEach(({ deadline }) => {
        if (deadline > last) last = deadline
      })
      return Math.max(0, Math.ceil(last - performance.now()))
    },
    onLoaded() {
      if (loaded) throw new LyingRunner('loaded twice')
      loaded = true
    },
    onStepped(us: number, body: Buffer) {
      const causes = acknowledge(us)
      frameBytes = body.length
      readGuestMessages(body.toString('utf8'), 1, (message) => take(message, causes))
      if (isPart(body) && requests.size() > 0) steps.addRest(causes)
      afterStep()
    },
    /** As `onStepped`, for a step that ended with one string. `lent`: the memory of a long one. */
    onAnswered(us: number, body: Buffer, lent?: Lent) {
      acknowledge(us)
      const { request, start } = readOneText(body)
      const open = requests.get(request)
      if (open === undefined && request > requests.last())
        throw new LyingRunner('a message of a request that never was')
      if (open !== undefined && body.length - start > open.limits.resultBytes) {
        close(open, failed('result_too_large', `a result of more than ${open.limits.resultBytes} bytes`))
        lent?.release()
      } else if (open === undefined) lent?.release()
      else if (lent === undefined) close(open, { kind: 'done', result: { text: body.toString('utf8', start) } })
      else close(open, { kind: 'done', result: { lent: { ...lent, bytes: body.subarray(start) } } })
      afterStep()
    },
    onOrphan(text: string) {
      const message = `unhandled rejection: ${text}`
      for (const cause of steps.running()) if (cause.open) return log(cause, 'error', message)
      for (const open of requests.values()) return log(open, 'error', message)
    },
    /** Whose step it was when the isolate or the runner went, closed meanwhile or not. */
    fatalStep: steps.running,
    fail: close,
    abandon,
  }
  return session
}
