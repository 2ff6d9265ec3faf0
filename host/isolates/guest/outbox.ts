import type { Primordials } from './primordials.ts'

/**
 * What the guest has to say until the runner collects it: parts of `partLength` characters, or of one message that is longer.
 * Each message is bounded by its request's limits, all of them by the isolate's heap. Sent into the isolate as source text.
 */
export function makeOutbox({ mapGet, mapSet, mapDelete }: Primordials, partLength: number) {
  const full = new Map<number, string>()
  let firstFull = 0
  let nextFull = 0
  let part = ''

  return {
    post(message: string): void {
      if (part !== '' && part.length + message.length > partLength) {
        mapSet(full, nextFull, part)
        nextFull++
        part = ''
      }
      part += message
    },
    isEmpty: () => part === '',
    /** The part that was said first. */
    take(): string {
      let text = part
      if (firstFull === nextFull) part = ''
      else {
        text = mapGet(full, firstFull) as string
        mapDelete(full, firstFull)
        firstFull++
      }
      return text
    },
  }
}

export type Outbox = ReturnType<typeof makeOutbox>
