/**
 * The text inside step frames: messages of a header line and payloads of stated lengths (UTF-16 units), so JSON passes
 * through unparsed and a malformed payload can spoil no other message.
 *
 * to the guest                                   from the guest
 * `c<request> <length> <entry>\n<input>`          `h<request> <call> <path length> <argument length>\n<path><argument>`
 * `r<call> <length>\n<result>`                    `d<request> <length>\n<result>`
 * `e<call> <length>\n<error>`                     `s<request> <length>\n<result that is a string>`
 * `t<timer> 0\n`                                  `f<request> <length>\n<error>`
 * `x<request> 0\n` (the request has ended)        `l<request> <length>\n<level> <message>`
 * `q0 <length>\n<limits of the next request>`     `t<timer> <milliseconds>\n`
 *                                                `u<timer> 0\n` (the timer was cleared)
 *
 * Before those from the guest stands one character: whether it has open requests (`0`, `1`), or `2` when it has more to say
 * than the step could take. The next step brings it, be it an empty one.
 */
export const callMessage = (request: number, entry: string, input: string) =>
  `c${request} ${input.length} ${entry}\n${input}`
export const resultMessage = (call: number, result: string) => `r${call} ${result.length}\n${result}`
export const errorMessage = (call: number, error: string) => `e${call} ${error.length}\n${error}`
export const timerMessage = (timer: number) => `t${timer} 0\n`
export const endMessage = (request: number) => `x${request} 0\n`
export const limitsMessage = (limits: string) => `q0 ${limits.length}\n${limits}`

export type GuestMessage =
  | { kind: 'serviceCall'; request: number; call: number; path: string; args: string }
  | { kind: 'done' | 'text'; request: number; text: string }
  | { kind: 'failed'; request: number; text: string }
  | { kind: 'log'; request: number; level: string; text: string }
  | { kind: 'timer'; timer: number; ms: number }
  | { kind: 'timerCleared'; timer: number }

const zero = 48
const two = 50
const space = 32
const lineEnd = 10
const logLevels = new Set(['debug', 'info', 'warn', 'error'])

/** Reads what a guest sent. Throws a RangeError on anything out of form: only a lying runner sends such. */
export function readGuestMessages(text: string, from: number, onMessage: (message: GuestMessage) => void): void {
  let at = from
  /** A whole number and the one character that must follow it. */
  const number = (following: number): number => {
    const start = at
    let value = 0
    let digit = text.charCodeAt(at) - zero
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digit = text.charCodeAt(++at) - zero
    }
    if (at === start || at - start > 15 || digit + zero !== following) throw new RangeError('a number out of form')
    at++
    return value
  }
  const payload = (length: number): string => {
    const start = at
    at += length
    if (at > text.length) throw new RangeError('a message longer than its frame')
    return text.slice(start, at)
  }
  while (at < text.length) {
    const kind = text[at++]
    const first = number(space)
    if (kind === 'd') onMessage({ kind: 'done', request: first, text: payload(number(lineEnd)) })
    else if (kind === 's') onMessage({ kind: 'text', request: first, text: payload(number(lineEnd)) })
    else if (kind === 'h') {
      const call = number(space)
      const pathLength = number(space)
      const argumentLength = number(lineEnd)
      onMessage({ kind: 'serviceCall', request: first, call, path: payload(pathLength), args: payload(argumentLength) })
    } else if (kind === 'f') onMessage({ kind: 'failed', request: first, text: payload(number(lineEnd)) })
    else if (kind === 'l') onMessage(logMessage(first, payload(number(lineEnd))))
    else if (kind === 't') onMessage({ kind: 'timer', timer: first, ms: number(lineEnd) })
    else if (kind === 'u' && number(lineEnd) === 0) onMessage({ kind: 'timerCleared', timer: first })
    else throw new RangeError('a message of an unknown kind')
  }
}

function logMessage(request: number, text: string): GuestMessage {
  const levelEnd = text.indexOf(' ')
  const level = text.slice(0, levelEnd)
  if (!logLevels.has(level)) throw new RangeError('a log line of an unknown level')
  return { kind: 'log', request, level, text: text.slice(levelEnd + 1) }
}

/** Whether the body of a frame holds a part only of what the guest has to say. */
export const isPart = (body: Buffer): boolean => body[0] === two

const longestHead = 40
const textHead = /^[01]s(\d{1,15}) (\d{1,15})\n/

/** Whether a collected outbox holds one result that is a string, and nothing else. */
export function isOneText(outbox: string): boolean {
  const head = textHead.exec(outbox.slice(0, longestHead))
  return head !== null && head[0].length + Number(head[2]) === outbox.length
}

/** Whose result a frame of one text carries, and where in its body the text begins. Throws a RangeError on another form. */
export function readOneText(body: Buffer): { request: number; start: number } {
  const head = textHead.exec(body.toString('latin1', 0, longestHead))
  if (head === null) throw new RangeError('a text out of form')
  return { request: Number(head[1]), start: head[0].length }
}
