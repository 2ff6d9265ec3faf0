/**
 * The text inside step frames: messages of a header line and payloads of stated lengths (UTF-16 units), so JSON passes
 * through unparsed and a malformed payload can spoil no other message.
 *
 * to the guest                                   from the guest
 * `c<request> <length> <entry>\n<input>`          `h<request> <call> <path length> <argument length>\n<path><argument>`
 * `r<call> <length>\n<result>`                    `d<request> <length>\n<result>`
 * `e<call> <length>\n<error>`                     `f<request> <length>\n<error>`
 * `t<timer> 0\n`                                  `l<request> <length>\n<level> <message>`
 * `x<request> 0\n` (the request has ended)        `t<timer> <milliseconds>\n`
 */
export const callMessage = (request: number, entry: string, input: string) =>
  `c${request} ${input.length} ${entry}\n${input}`
export const resultMessage = (call: number, result: string) => `r${call} ${result.length}\n${result}`
export const errorMessage = (call: number, error: string) => `e${call} ${error.length}\n${error}`
export const timerMessage = (timer: number) => `t${timer} 0\n`
export const endMessage = (request: number) => `x${request} 0\n`

export type GuestMessage =
  | { kind: 'serviceCall'; request: number; call: number; path: string; args: string }
  | { kind: 'done' | 'failed'; request: number; text: string }
  | { kind: 'log'; request: number; level: string; text: string }
  | { kind: 'timer'; timer: number; ms: number }

const logLevels = new Set(['debug', 'info', 'warn', 'error'])

/** Reads what a guest sent. Throws a RangeError on anything out of form: only a lying runner sends such. */
export function readGuestMessages(text: string, from: number, onMessage: (message: GuestMessage) => void): void {
  let at = from
  while (at < text.length) {
    const lineEnd = text.indexOf('\n', at)
    if (lineEnd === -1 || lineEnd - at > 80) throw new RangeError('a message without a header')
    const fields = text
      .slice(at + 1, lineEnd)
      .split(' ')
      .map(wholeNumber)
    const start = lineEnd + 1
    const [first = -1, second = -1, third = -1, fourth = -1] = fields
    const kind = text[at]
    if (kind === 'h' && fields.length === 4) {
      const path = payload(text, start, third)
      const args = payload(text, start + third, fourth)
      at = start + third + fourth
      onMessage({ kind: 'serviceCall', request: first, call: second, path, args })
    } else if ((kind === 'd' || kind === 'f') && fields.length === 2) {
      at = start + second
      onMessage({ kind: kind === 'd' ? 'done' : 'failed', request: first, text: payload(text, start, second) })
    } else if (kind === 'l' && fields.length === 2) {
      at = start + second
      onMessage(logMessage(first, payload(text, start, second)))
    } else if (kind === 't' && fields.length === 2) {
      at = start
      onMessage({ kind: 'timer', timer: first, ms: second })
    } else throw new RangeError('a message of an unknown kind')
  }
}

function logMessage(request: number, text: string): GuestMessage {
  const space = text.indexOf(' ')
  const level = text.slice(0, space)
  if (!logLevels.has(level)) throw new RangeError('a log line of an unknown level')
  return { kind: 'log', request, level, text: text.slice(space + 1) }
}

function payload(text: string, start: number, length: number): string {
  if (start + length > text.length) throw new RangeError('a message longer than its frame')
  return text.slice(start, start + length)
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (text === '' || !Number.isSafeInteger(value) || value < 0) throw new RangeError('a number out of form')
  return value
}
