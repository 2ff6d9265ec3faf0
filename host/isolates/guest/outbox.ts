import type { GuestErrors } from './errors.ts'

/**
 * What the guest has to say until the runner collects it, as text within a bound. Room is kept for failures: whoever filled
 * the rest hears of it. Sent into the isolate as source text.
 */
export function makeOutbox(maxLength: number, failureLength: number, errors: GuestErrors) {
  let outbox = ''
  const post = (message: string, bound: number) => {
    if (outbox.length + message.length > bound) throw errors.limitError('flood', 'too much output in one step')
    outbox += message
  }
  return {
    post: (message: string): void => post(message, maxLength),
    postFailure: (message: string): void => post(message, maxLength + failureLength),
    take(): string {
      const text = outbox
      outbox = ''
      return text
    },
  }
}

export type Outbox = ReturnType<typeof makeOutbox>
