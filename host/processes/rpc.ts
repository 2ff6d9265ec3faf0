import { ServiceError, type ErrorCode, type ErrorDetails } from '../../partner-services/service/errors.ts'

/** What two of our own processes speak over Node's channel. Partner code never runs in either of them. */
export type Channel = {
  send?: (message: never, handle: undefined, options: object, sent: (error: Error | null) => void) => unknown
  on(event: 'message' | 'disconnect', listener: (message: unknown) => void): unknown
}

// biome-ignore lint/suspicious/noExplicitAny: each side states the types of its own methods
export type Methods = Record<string, (argument: any) => unknown>

type Call = { rpc: 'call'; id: number; method: string; argument: unknown }
type Answer = { rpc: 'answer'; id: number; result?: unknown; error?: WireError }
type WireError = { message: string; code?: ErrorCode; details?: ErrorDetails; report?: unknown; state?: ErrorState }
/** Of an error of the database's or the system's: what tells one that is away. */
type ErrorState = { code: string; syscall?: string | undefined }

/**
 * Calls methods of the process at the other end, and serves `methods` to it. A call that the other end's death leaves
 * unanswered is refused as `unavailable`.
 */
export type Rpc = { call<Result>(method: string, argument?: unknown): Promise<Result> }

export function createRpc(channel: Channel, methods: Methods = {}): Rpc {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let lastId = 0

  const send = (message: Call | Answer, unsent: () => void = () => {}) => {
    if (!channel.send) return unsent()
    channel.send(message as never, undefined, {}, (error) => {
      if (error) unsent()
    })
  }
  const refuse = (id: number) => {
    waiting.get(id)?.reject(new ServiceError('unavailable'))
    waiting.delete(id)
  }

  async function serve({ id, method, argument }: Call): Promise<void> {
    const answer: Answer = { rpc: 'answer', id }
    try {
      const run = methods[method]
      if (!run) throw new Error(`no method ${method}`)
      answer.result = await run(argument)
    } catch (error) {
      answer.error = toWire(error)
    }
    send(answer)
  }

  channel.on('disconnect', () => {
    for (const id of [...waiting.keys()]) refuse(id)
  })
  channel.on('message', (message) => {
    const known = message as Partial<Call | Answer> | null
    if (known?.rpc === 'call') void serve(known as Call)
    if (known?.rpc !== 'answer') return
    const { id, result, error } = known as Answer
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (error) waiter?.reject(fromWire(error))
    else waiter?.resolve(result as never)
  })

  return {
    call: (method, argument) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        send({ rpc: 'call', id, method, argument }, () => refuse(id))
      }),
  }
}

/** A refusal with findings: its report is data for whoever asked. */
export class ReportedError extends Error {
  override name = 'ReportedError'
  readonly report: unknown
  constructor(message: string, report: unknown) {
    super(message)
    this.report = report
  }
}

function toWire(error: unknown): WireError {
  if (error instanceof ServiceError) return { message: error.message, code: error.code, details: error.details }
  if (error instanceof ReportedError) return { message: error.message, report: error.report }
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, syscall } = error as NodeJS.ErrnoException
  return { message: error.message, ...(code === undefined ? {} : { state: { code, syscall } }) }
}

function fromWire({ message, code, details, report, state }: WireError): Error {
  if (code) return new ServiceError(code, details)
  return report === undefined ? Object.assign(new Error(message), state) : new ReportedError(message, report)
}
