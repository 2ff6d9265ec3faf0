import type { GuestErrors } from './errors.ts'

/** What the guest has to say until the runner collects it, as text within a bound. Sent into the isolate as source text. */
export function makeOutbox(maxLength: number, errors: GuestErrors) {
  let outbox = ''
  return {
    post(message: string): void {
      if (outbox.length + message.length > maxLength) throw errors.limitError('flood', 'too much output in one step')
      outbox += message
    },
    take(): string {
      const text = outbox
      outbox = ''
      return text
    },
  }
}

export type Outbox = ReturnType<typeof makeOutbox>
